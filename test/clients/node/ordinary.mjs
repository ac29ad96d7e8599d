// The steps of the ORMs on a table with an ordinary created_at: see ../ordinary.sh.

const since = new Date('2026-01-10T00:00Z');
const until = new Date('2026-01-11T00:00Z');
const later = new Date('2026-01-12T00:00Z');
const old = new Date(Math.floor(Date.now() / 1000 - 3 * 86400) * 1000);

const say = (step, ...results) => console.log(`${step}:`, ...results);

// How many rows there are, and the texts of the first and the last.
const ends = (rows) => [rows.length, rows[0].what, rows.at(-1).what];

// Returns the result of a query, or the SQLSTATE of its error.
async function state(query) {
  try {
    return await query();
  } catch (error) {
    return error.code ?? error.cause?.code ?? error.parent?.code;
  }
}

// Returns a key that a client makes.
function keyAt(time) {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

// Creates the table, or takes the steps by functions of the ORM. A row has id, createdAt, what and n:
//   create(), end()
//   insert(rows)       returns the rows
//   upsert(rows), update(row, n)
//   at(time), by(n)    the rows of that time, or with that n
//   day(since, until)  the rows of these times, in their order
//   page(row)          the 50 newest rows before that one by time and key
//   days(since, until) the numbers of rows of each day
//   changes()          the statements of the schema tool
export async function ordinary(orm) {
  if (process.argv[2] === 'create') {
    await orm.create();
    return orm.end();
  }
  say('day', ...ends(await orm.day(since, until)));
  const rows = await orm.page({createdAt: until, id: '00000000-0000-0000-0000-000000000000'});
  rows.push(...await orm.page(rows.at(-1)));
  rows.push(...await orm.page(rows.at(-1)));
  say('pages', ...ends(rows));
  say('days', ...await orm.days(since, later));
  const [entry] = await orm.insert([{what: 'new'}]);
  say('insert', entry.what);
  say('by the time in memory', (await orm.at(entry.createdAt)).length);
  await orm.update(entry, 5);
  const [again] = await orm.by(5);
  say('update', again.what);
  say('by the time read again', (await orm.at(again.createdAt)).length);
  say('bulk', (await orm.insert(Array.from({length: 100}, (_, n) => ({what: `bulk ${n}`, n: 3})))).length);
  await orm.upsert(['event 5', 'other'].map((what) => ({what, n: 7})));
  say('upsert', (await orm.by(7)).length);
  const add = async (row) => (await orm.insert([row])) && (await orm.at(row.createdAt)).length;
  say('old with its key', await state(() => add({what: 'old', createdAt: old, id: keyAt(old)})));
  say('old with a new key', await state(() => add({what: 'older', createdAt: new Date(old - 1000)})));
  (await orm.changes()).sort().forEach((change) => say('change', change.replace(/[; ]+$/, '')));
  await orm.end();
}
