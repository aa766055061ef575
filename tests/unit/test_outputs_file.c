/* SPDX-License-Identifier: MIT */
#include "front/outputs/file.h"
#include "unit.h"
int main(void)
{
    TCase *tests = unit_begin("outputs/file");
    (void)tests;
    return unit_end();
}
