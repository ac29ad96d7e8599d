"""The plans of a query for the last day, by a function of the id, and by the id itself."""

import json

import svg

WIDTH, HEIGHT = 960, 640
ROWS, DAYS, RUNS = 1_000_000, 100, 2

TABLE = f"""
CREATE TABLE event (id uuid PRIMARY KEY, what text NOT NULL);
INSERT INTO event
SELECT uuid_v7_at(now() - interval '{DAYS} days' * (1 - n / {ROWS}.0)), 'event of kind ' || n % 8
FROM generate_series(1, {ROWS}) AS n;
VACUUM ANALYZE event;
"""
WHERE = {"before": "uuid_extract_time(id) >= now() - interval '1 day'", "after": "id >= now() - interval '1 day'"}
QUERY = "SELECT what, count(*) FROM event WHERE {} GROUP BY what"

BOX = 400  # width a node of the plan is
SQUARE, GAP, ACROSS = 7, 2, 43
PAGES_PER_SQUARE = 10


def trimmed(plan):
    """The nodes of a plan from the top down, reduced to what is drawn; each has at most one child."""
    index = f" using {plan['Index Name']}" if "Index Name" in plan else ""
    table = f" on {plan['Relation Name']}" if "Relation Name" in plan else ""
    kind = {"Hashed": "Hash", "Sorted": "Group"}.get(plan.get("Strategy"), "")
    node = {"node": kind + plan["Node Type"] + index + table, "rows": plan["Actual Rows"],
            "removed": plan.get("Rows Removed by Filter", 0),
            "condition": plan.get("Filter") or plan.get("Index Cond"),
            "pages": plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]}
    return [node] + [below for child in plan.get("Plans", []) for below in trimmed(child)]


def measure(out):
    # pylint: disable=import-outside-toplevel
    from harness import psql
    from time_queries import run_queries
    psql(TABLE)
    # In one transaction, so that both have the same now().
    runs = run_queries([QUERY.format(where) for where in WHERE.values()], RUNS, "BEGIN;\n")
    # The table's pages with rows of the day.
    pages = psql(f"SELECT DISTINCT (ctid::text::point)[0]::int FROM event WHERE {WHERE['after']} ORDER BY 1").split()
    sizes = psql("SELECT pg_relation_size('event') / 8192, pg_relation_size('event_pkey') / 8192").strip().split("|")
    found = {"rows": ROWS, "days": DAYS, "table pages": int(sizes[0]), "index pages": int(sizes[1]),
             "first page of the day": int(pages[0]), "last page of the day": int(pages[-1]),
             "pages of the day": len(pages)}
    for name, documents in zip(WHERE, runs):
        found[name] = {"plan": trimmed(documents[-1]["Plan"])}
    with open(out / "plan.json", "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
        file.write("\n")


def load(folder):
    with open(folder / "plan.json", encoding="utf-8") as file:
        return json.load(file)


def claims(folder):
    """Statements of the page about this picture, each with whether the data agree."""
    found = load(folder)
    scans = {name: found[name]["plan"][-1] for name in WHERE}
    return {
        "without the index all pages of the table are read": scans["before"]["node"] == "Seq Scan on event"
                                                             and scans["before"]["pages"] == found["table pages"],
        "by the id it is a scan of the primary key": scans["after"]["node"] == "Index Scan using event_pkey on event",
        "both find the same rows": scans["before"]["rows"] == scans["after"]["rows"] > 0,
        "by the id a fiftieth of the pages is read, or less": scans["after"]["pages"] * 50 <= scans["before"]["pages"],
        "the rows of the day lie together":
            found["last page of the day"] - found["first page of the day"] + 1 == found["pages of the day"]
            < scans["after"]["pages"],
    }


def lines_of(node):
    """The lines of text for a node."""
    if not node["condition"]:
        return [f"{node['rows']:,} groups"]
    if node["removed"]:
        read = f"{node['rows'] + node['removed']:,} rows read, {node['removed']:,} of them in vain"
    else:
        read = f"{node['rows']:,} rows read, none in vain"
    return [read, f"{node['pages']:,} pages read"]


def draw_plan(picture, x, y, plan, colour):
    """Draws the nodes from the top down, with the rows between them."""
    for i, node in enumerate(plan):
        lines, middle = lines_of(node), x + BOX / 2
        if i:
            picture.line(middle, y - 1, middle, y - 24, svg.FAINT, 3)
            picture.polygon([(middle - 7, y - 22), (middle + 7, y - 22), (middle, y - 33)], svg.FAINT)
            picture.text(middle + 14, y - 12, f"{node['rows']:,} rows", 12, fill=svg.FAINT)
        height = 32 + 17 * len(lines)
        picture.rect(x, y, BOX, height, "#f6f6f6", stroke=colour, stroke_width=2, rx=6)
        picture.text(middle, y + 20, node["node"], 13, "middle", weight="bold", room=BOX - 20)
        for j, line in enumerate(lines):
            picture.text(middle, y + 39 + 17 * j, line, 12, "middle", room=BOX - 20)
        y += height + 34


def draw_pages(picture, x, y, title, pages, read, colour):
    """Draws a square for some pages, dark if one of them is read; returns where the squares end."""
    picture.text(x, y, title, 12, fill=svg.FAINT)
    squares = -(-pages // PAGES_PER_SQUARE)
    paths = {"#dddddd": "", colour: ""}
    for i in range(squares):
        first = i * PAGES_PER_SQUARE
        dark = any(page in read for page in range(first, first + PAGES_PER_SQUARE))
        left, top = x + i % ACROSS * (SQUARE + GAP), y + 9 + i // ACROSS * (SQUARE + GAP)
        paths[colour if dark else "#dddddd"] += f"M{left} {top}h{SQUARE}v{SQUARE}h-{SQUARE}z"
    for fill, path in paths.items():
        if path:
            picture.path(path, fill=fill)
    return y + 9 + -(-squares // ACROSS) * (SQUARE + GAP)


def draw_side(picture, x, found, name, title, colour):
    """Draws one of the two queries: condition, plan, pages."""
    side = found[name]
    scan = side["plan"][-1]
    picture.text(x, 92, title, 15, weight="bold", fill=colour)
    picture.text(x, 114, f"WHERE {WHERE[name]}", 12, family="mono", room=BOX + 20)
    draw_plan(picture, x, 134, side["plan"], colour)
    if name == "before":
        table, index = range(found["table pages"]), range(0)
    else:
        table = range(found["first page of the day"], found["last page of the day"] + 1)
        # The newest keys are in the last pages of the index.
        index = range(found["index pages"] - (scan["pages"] - len(table)), found["index pages"])
    y = draw_pages(picture, x, 314, f"pages of the table: {len(table):,} of {found['table pages']:,} read",
                   found["table pages"], table, colour)
    y = draw_pages(picture, x, y + 22, f"pages of the primary key: {len(index):,} of {found['index pages']:,} read",
                   found["index pages"], index, colour)
    picture.text(x, y + 34, f"{scan['pages']:,} pages read", 20, weight="bold", fill=colour)
    return y + 34


def draw(data, out):
    found = load(data)
    before, after = (found[name]["plan"][-1] for name in WHERE)
    picture = svg.Picture(
        WIDTH, HEIGHT, "The plan of a query for the last day",
        f"Two plans for the same question, the rows of the last day of {found['days']}. With a condition on "
        f"uuid_extract_time(id) a sequential scan reads all {before['pages']:,} pages and throws {before['removed']:,} "
        f"rows away. With a condition on the id an index scan of the primary key reads {after['pages']:,} pages.")
    picture.text(32, 38, f"The last day of {found['days']}, in {found['rows']:,} rows", 20, weight="bold")
    picture.text(32, 60, QUERY.format("…"), 12, family="mono", fill=svg.FAINT)
    bottom = draw_side(picture, 32, found, "before", "by a function of the id", svg.VERMILION)
    draw_side(picture, 512, found, "after", "by the id itself", svg.BLUE)
    picture.line(480, 78, 480, bottom, svg.PALE)
    picture.text(32, bottom + 26, f"A square is {PAGES_PER_SQUARE} pages of 8 kB; it is dark where one of them is "
                 f"read. {svg.conditions(data)}", 11, fill=svg.FAINT)
    picture.height = bottom + 40
    picture.write(out / "plan.svg")
