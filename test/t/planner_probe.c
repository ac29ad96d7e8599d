/* What a test asks of the planner: how many hooks it has. */
#include "postgres.h"

#include "fmgr.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "utils/selfuncs.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(count_hooks);

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
