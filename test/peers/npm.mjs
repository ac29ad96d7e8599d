// Judges what uuidx made by packages of npm and by Node.js itself.
//
// Usage: node npm.mjs make COUNT > ROWS, in the format of COPY, makes UUIDs and the ULID of each;
// node npm.mjs judge < ROWS, each a JSON object, prints one line for each comparison.
import bs58 from 'bs58';
import {randomBytes, randomInt} from 'node:crypto';
import {createInterface} from 'node:readline';
import {decodeTime, encodeTime, ulid, ulidToUUID, uuidToULID} from 'ulid';
import {MAX, NIL, parse, stringify, v1, v1ToV6, v4, v6, v6ToV1, v7, validate, version} from 'uuid';

const maxMillis = 2 ** 48 - 1;

// Prints UUIDs as the packages make them, of now and of other times, and of any bits.
function make(count) {
  const ids = [NIL, MAX];
  for (let i = 0; i < count; ++i) {
    // From 1970 to 5236, which both Gregorian versions have; the last of the 100 ns, too.
    const gregorian = {msecs: randomInt(103072857660684), nsecs: randomInt(10000)};
    ids.push(v1(), v4(), v6(), v7(), v1(gregorian), v6(gregorian), v7({msecs: randomInt(maxMillis)}),
        ulidToUUID(ulid()), ulidToUUID(ulid(randomInt(maxMillis))),
        ulidToUUID(encodeTime(i % 2 ? 0 : maxMillis, 10) + 'Z'.repeat(16)));
    // What looks like no version, with some zeros in front, of which base 58 makes much.
    const octets = randomBytes(16).fill(0, 0, randomInt(16));
    ids.push(stringifyAny(octets), stringifyAny(randomBytes(16)));
  }
  for (const id of ids) {
    console.log(`${id}\t${uuidToULID(id)}`);
  }
}

// The usual form of any octets; that of the package wants a version that it knows.
function stringifyAny(octets) {
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const octetsOf = (id) => Buffer.from(id.replaceAll('-', ''), 'hex');

// Each comparison: for which rows, what is, and what should be.
const comparisons = {
  'ulid: encoding': [() => true, (row) => row.ulid, (row) => uuidToULID(row.id)],
  'ulid: decoding': [() => true, (row) => row.decoded, (row) => ulidToUUID(row.theirs).toLowerCase()],
  'ulid: decodeTime of version 7': [
    (row) => row.version === 7, (row) => row.millis, (row) => decodeTime(row.ulid)],
  'ulid: decodeTime of versions 1 and 6 as 7': [
    (row) => row.v7, (row) => row.millis, (row) => decodeTime(uuidToULID(row.v7))],
  'uuid: v1ToV6': [(row) => row.version === 1, (row) => row.v6, (row) => v1ToV6(row.id)],
  'uuid: v6ToV1': [(row) => row.version === 6, (row) => row.v1, (row) => v6ToV1(row.id)],
  'uuid: version': [(row) => validate(row.id) && row.id !== NIL && row.id !== MAX,
    (row) => row.version, (row) => version(row.id)],
  'uuid: version of versions 1 and 6 as 7': [
    (row) => row.v7, (row) => validate(row.v7) && version(row.v7), () => 7],
  'uuid: version of a masked version 7': [
    (row) => row.masked, (row) => validate(row.masked) && version(row.masked), () => 4],
  'uuid: parse and stringify': [(row) => validate(row.id),
    (row) => stringify(Buffer.from(row.octets, 'hex')) + row.octets,
    (row) => row.id + Buffer.from(parse(row.id)).toString('hex')],
  'bs58: encoding': [
    () => true, (row) => row.base58, (row) => bs58.encode(octetsOf(row.id)).padStart(22, '1')],
  'bs58: decoding': [() => true, (row) => row.id.replaceAll('-', ''),
    (row) => Buffer.from(bs58.decode(row.base58)).subarray(-16).toString('hex')],
  'Node.js: base64url': [
    () => true, (row) => row.base64url, (row) => octetsOf(row.id).toString('base64url')],
  'Node.js: decimal': [
    () => true, (row) => row.decimal, (row) => String(BigInt(`0x${row.id.replaceAll('-', '')}`))],
};

// Compares every row, and says for how many of them which comparison holds.
async function judge() {
  const rows = [];
  for await (const line of createInterface({input: process.stdin})) {
    rows.push(JSON.parse(line));
  }
  for (const [name, [concerns, is, should]] of Object.entries(comparisons)) {
    const compared = rows.filter(concerns);
    const wrong = compared.find((row) => is(row) !== should(row));
    if (wrong === undefined && compared.length > 100) {
      console.log(`ok - ${name}: ${compared.length} compared`);
    } else {
      console.log(`not ok - ${name}: ${compared.length} compared`);
      console.log(wrong && `# ${JSON.stringify(wrong)}: ${is(wrong)} should be ${should(wrong)}`);
    }
  }
}

const [, , what, count] = process.argv;
if (what === 'make') {
  make(Number(count));
} else {
  await judge();
}
