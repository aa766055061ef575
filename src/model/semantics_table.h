/* SPDX-License-Identifier: MIT
 *
 * All rules, one row for all systems that share a rule. Only for semantics.c: others use model/semantics.h. */
#ifndef MODEL_SEMANTICS_TABLE_H
#define MODEL_SEMANTICS_TABLE_H

#include "model/semantics.h"

extern const struct rule semantics_rules[];
extern const size_t semantics_rule_count;

#endif
