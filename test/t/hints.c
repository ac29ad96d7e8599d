/*
 * Hooks like those of extensions that plan by hints: they look up the name of each index, and make the paths of a
 * table anew when these are complete.
 */
#include "postgres.h"

#include "fmgr.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "utils/lsyscache.h"

PG_MODULE_MAGIC;

static set_rel_pathlist_hook_type next_pathlist_hook;

void		_PG_init(void);

#if PG_VERSION_NUM < 190000
static get_relation_info_hook_type next_info_hook;

static void
look_up_names(PlannerInfo *root, Oid relation, bool inherits, RelOptInfo *rel)
{
	ListCell   *cell;

	if (next_info_hook)
		next_info_hook(root, relation, inherits, rel);
	foreach(cell, rel->indexlist)
		if (get_rel_name(((IndexOptInfo *) lfirst(cell))->indexoid) == NULL)
			elog(ERROR, "an index has no name");
}
#endif

static void
make_paths(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	if (next_pathlist_hook)
		next_pathlist_hook(root, rel, rti, rte);
	if (rte->rtekind == RTE_RELATION && rel->reloptkind == RELOPT_BASEREL && !rte->inh)
	{
		rel->pathlist = rel->partial_pathlist = NIL;
		add_path(rel, create_seqscan_path(root, rel, rel->lateral_relids, 0));
		create_index_paths(root, rel);
	}
}

void
_PG_init(void)
{
#if PG_VERSION_NUM < 190000
	next_info_hook = get_relation_info_hook;
	get_relation_info_hook = look_up_names;
#endif
	next_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = make_paths;
}
