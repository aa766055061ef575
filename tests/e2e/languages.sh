#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Names of functions in Fortran, OCaml, Haskell and Nim, in the form that their users know.

. "$(dirname "$0")/lib.sh"

# program_in PROGRAM NAME...: stacks of the compiled PROGRAM must have these names, and must be whole.
program_in() {
    local name
    within 60 "$PTPROFIL" -q -F 500 -o profile.folded -- "./$1" >out 2>err || fail "status $?" "$(cat err)"
    for name in "${@:2}"; do
        grep -qE "^$1;.*;$name[; ]" profile.folded || fail "no $name" "$(cut -c -200 profile.folded)"
    done
}

# Modules of Fortran.
case_fortran() {
    need gfortran
    cat >hot.f90 <<'END'
module physics
contains
  subroutine step(n, total)
    integer, intent(in) :: n
    integer, intent(inout) :: total
    integer :: j
    do j = 1, n
       total = total + mod(j * total, 7)
    end do
  end subroutine
end module
program main
  use physics
  integer :: total, i
  total = 1
  do i = 1, 300
     call step(1000000, total)
  end do
  print *, total
end program
END
    gfortran -O1 -fno-inline hot.f90 -o hot >log 2>&1 || fail "gfortran" "$(cat log)"
    program_in hot 'MAIN__;physics::step'
}

# Modules of an OCaml program and of OCaml's library.
case_ocaml() {
    need ocamlopt
    cat >hot.ml <<'END'
module Inner = struct
  let rec work n sum = if n = 0 then sum else work (n - 1) (sum * 3 + n)
  let ( +++ ) a b = work b a
end
let () =
  for i = 1 to 60 do
    ignore (Sys.opaque_identity (List.map (fun x -> Inner.work 1000000 x) [i; 2; 3]));
    ignore (Sys.opaque_identity (Inner.( +++ ) i 2000000))
  done
END
    ocamlopt -inline 0 hot.ml -o hot >log 2>&1 || fail "ocamlopt" "$(cat log)"
    program_in hot 'main;.*Hot\.(entry|code_begin);.*Hot\.work_[0-9]+' 'Stdlib\.List\.map_[0-9]+;.*Hot\.work_[0-9]+'
}

# Modules and operators of Haskell. Haskell code does not use the machine's stack, so its callers are shown as functions
# of the runtime.
case_haskell() {
    need ghc
    cat >Main.hs <<'END'
module Main where
{-# NOINLINE (<+>) #-}
(<+>) :: Int -> Int -> Int
0 <+> sum = sum
n <+> sum = (n - 1) <+> (sum * 3 + n)
main :: IO ()
main = print (foldr (<+>) 1 (replicate 400 1000000))
END
    ghc -O1 Main.hs -o hot >log 2>&1 || fail "ghc" "$(cat log)"
    within 60 "$PTPROFIL" -q -F 500 -o profile.folded -- ./hot >out 2>err || fail "status $?" "$(cat err)"
    grep -qE ';Main\.\$w<\+> ' profile.folded || fail "no such name" "$(cut -c -200 profile.folded)"
}

# Modules of Nim, and two instances of one generic.
case_nim() {
    need nim
    cat >hot.nim <<'END'
proc work[T](n: T): T {.noinline.} =
  for i in 0 .. 1000000: result = (result * 7 + n + T(i and 7)) and T(0xffffff)
proc main() {.noinline.} =
  var n = 0
  for i in 0 .. 150: n = (n + work(i) + int(work(int32(i)))) and 0xffff
  echo n
main()
END
    nim c -d:release --hints:off --nimcache:cache -o:hot hot.nim >log 2>&1 || fail "nim" "$(cat log)"
    program_in hot 'NimMain;.*hot\.main_[0-9]+;hot\.work_[0-9]+'
    [ "$(grep -oE 'hot\.work_[0-9]+' profile.folded | sort -u | wc -l)" = 2 ] || fail "not two" "$(cut -c -200 profile.folded)"
}

run_cases "$@"
