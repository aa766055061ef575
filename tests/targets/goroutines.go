// A Go program whose goroutines hash and spin on as many threads as there are CPUs: goroutines N prints N results, then
// what a child printed and how it ended, and exits with status 12.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
)

//go:noinline
func busyLoop(n int) (x uint64) {
	x = 88172645463325252
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: goroutines N")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "goroutines:", err)
		os.Exit(2)
	}
	var group sync.WaitGroup
	results := make([]string, count)
	for i := range results {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			results[i] = fmt.Sprintf("%x %d", sha256.Sum256(make([]byte, 100000+i)), busyLoop(5000000))
		}(i)
	}
	group.Wait()
	fmt.Println(results)
	out, err := exec.Command("sh", "-c", "echo child; exit 6").Output()
	fmt.Println(string(out), err)
	os.Exit(12)
}
