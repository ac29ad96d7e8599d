// Compares values of uuidx with packages of npm and Node.js.
//
// Usage: node npm.mjs make COUNT > ROWS, in the format of COPY, generates UUIDs and the ULID of each;
// node npm.mjs judge < ROWS, each a JSON object, prints one line for each comparison.
import bs58 from 'bs58';
import {randomBytes, randomInt} from 'node:crypto';
import {createInterface} from 'node:readline';
import {decodeTime, encodeTime, ulid, ulidToUUID, uuidToULID} from 'ulid';
import {MAX, NIL, parse, stringify, v1, v1ToV6, v4, v6, v6ToV1, v7, validate, version} from 'uuid';

const maxMillis = 2 ** 48 - 1;

// Prints UUIDs of the packages: of now, of other times, and of arbitrary bits.
function make(count) {
  const ids = [NIL, MAX];
  for (let i = 0; i < count; ++i) {
    // From 1970 to 5236, the common range of both Gregorian versions, to the last 100 ns.
    const gregorian = {msecs: randomInt(103072857660684), nsecs: randomInt(10000)};
    ids.push(v1(), v4(), v6(), v7(), v1(gregorian), v6(gregorian), v7({msecs: randomInt(maxMillis)}),
        ulidToUUID(ulid()), ulidToUUID(ulid(randomInt(maxMillis))),
        ulidToUUID(encodeTime(i % 2 ? 0 : maxMillis, 10) + 'Z'.repeat(16)));
    // Of no version, with leading zeros, which base 58 encodes specially.
    const octets = randomBytes(16).fill(0, 0, randomInt(16));
    ids.push(stringifyAny(octets), stringifyAny(randomBytes(16)));
  }
  for (const id of ids) {
    console.log(`${id}\t${uuidToULID(id)}`);
  }
}

// Formats arbitrary bytes as a UUID; the package accepts known versions only.
function stringifyAny(octets) {
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const octetsOf = (id) => Buffer.from(id.replaceAll('-', ''), 'hex');

// Each comparison: rows, actual and expected value.
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

// Compares every row, and prints the result of each comparison.
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
