/*
 * What a test asks of the planner: how many hooks it has, and what support functions make of a PlannerInfo that is not
 * the planner's.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(count_hooks);
PG_FUNCTION_INFO_V1(ask_support);

/* Returns the number of the planner's hooks that are set. */
Datum
count_hooks(PG_FUNCTION_ARGS)
{
#if PG_VERSION_NUM >= 190000
	int			hooks = build_simple_rel_hook != NULL;
#else
	int			hooks = get_relation_info_hook != NULL;
#endif
	PG_RETURN_INT32(hooks + (set_rel_pathlist_hook != NULL) + (create_upper_paths_hook != NULL) +
					(get_relation_stats_hook != NULL) + (get_index_stats_hook != NULL) +
					(planner_hook != NULL) + (set_join_pathlist_hook != NULL));
}

/*
 * Returns what the support function of a function estimates for a call with the first column of a table and parameters,
 * after it was asked to simplify the call and for a condition of an index. The PlannerInfo has nothing but the table.
 */
Datum
ask_support(PG_FUNCTION_ARGS)
{
	Oid			function = PG_GETARG_OID(0);
	Oid			support = get_func_support(function);
	PlannerInfo *root = makeNode(PlannerInfo);
	RelOptInfo *rel = makeNode(RelOptInfo);
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	IndexOptInfo *index = makeNode(IndexOptInfo);
	Var		   *id = makeVar(1, 1, UUIDOID, -1, InvalidOid, 0);
	Param	   *parameter = makeNode(Param);
	RestrictInfo *above = makeNode(RestrictInfo);
	SupportRequestSimplify simplify = {T_SupportRequestSimplify};
	SupportRequestIndexCondition condition = {T_SupportRequestIndexCondition};
	SupportRequestSelectivity selectivity = {T_SupportRequestSelectivity};
	List	   *args = list_make1(id);
	Oid		   *types;
	int			count;

	rte->rtekind = RTE_RELATION;
	rte->relid = PG_GETARG_OID(1);
	rte->relkind = 'r';
	rel->reloptkind = RELOPT_BASEREL;
	rel->relid = 1;
	rel->relids = bms_make_singleton(1);
	rel->rtekind = RTE_RELATION;
	rel->rows = rel->tuples = 1000;
	root->simple_rel_array_size = 2;
	root->simple_rel_array = palloc0(2 * sizeof(RelOptInfo *));
	root->simple_rte_array = palloc0(2 * sizeof(RangeTblEntry *));
	root->simple_rel_array[1] = rel;
	root->simple_rte_array[1] = rte;
	index->rel = rel;

	/* A condition whose other side is not constant. */
	parameter->paramid = 1;
	parameter->paramtype = UUIDOID;
	above->clause = make_opclause(OpernameGetOprid(list_make1(makeString(">")), UUIDOID, UUIDOID), BOOLOID, false,
								  (Expr *) id, (Expr *) parameter, InvalidOid, InvalidOid);
	rel->baserestrictinfo = list_make1(above);

	get_func_signature(function, &types, &count);
	if (count == 2)
	{
		parameter = copyObject(parameter);
		parameter->paramtype = types[1];
		args = lappend(args, parameter);
	}
	simplify.root = condition.root = selectivity.root = root;
	simplify.fcall = makeFuncExpr(function, get_func_rettype(function), args, InvalidOid, InvalidOid,
								  COERCE_EXPLICIT_CALL);
	condition.funcid = selectivity.funcid = function;
	condition.node = (Node *) simplify.fcall;
	condition.index = index;
	selectivity.args = args;
	selectivity.selectivity = -1;
	OidFunctionCall1(support, PointerGetDatum(&simplify));
	OidFunctionCall1(support, PointerGetDatum(&condition));
	OidFunctionCall1(support, PointerGetDatum(&selectivity));
	PG_RETURN_FLOAT8(selectivity.selectivity);
}
