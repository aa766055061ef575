/* SPDX-License-Identifier: MIT
 *
 * All rules, one row for all systems that share a rule. Only for semantics.c: others use model/semantics.h. */
#ifndef SEMANTICS_SEMANTICS_TABLE_H
#define SEMANTICS_SEMANTICS_TABLE_H

#include "common/semantics/semantics.h"

extern const struct rule semantics_rules[];
extern const size_t semantics_rule_count;

#endif
