// What a directory sends, message by message, before the library reads it. ldapts loops, or takes a missing result for
// a success, where lengths lie; so only whole messages of the right shape come through (RFC 4511 §4, §5.1).
import type net from 'node:net';

/** Of one answer, with all its entries. */
const MAX_BYTES = 2_097_152;
const MAX_MESSAGES = 4_000;

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const OCTETS = 0x04;
const ENUMERATED = 0x0a;
const CONTROLS = 0xa0;
const ENTRY = 0x64;
const REFERENCE = 0x73;
/** Of a bind, a search and an extended operation. */
const RESULTS = [0x61, 0x65, 0x78];

export type Gate = {
  /** before each request: the limits begin again */
  reset: () => void;
  /** why the connection was ended; null: it was not */
  fault: () => string | null;
  /** the code of the last result (RFC 4511 §4.1.9): the library hides that of a search that found more than asked */
  result: () => number;
};

/** Ends the connection at the first byte that is not as it must be. */
export function gateOf(socket: net.Socket): Gate {
  const push = socket.push.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  let [bytes, messages] = [0, 0];
  let fault: string | null = null;
  let result = 0;
  const check = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new WrongAnswer('its answer is too large');
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let goesOn = true;
    for (let size = sizeOf(held); size !== null && size <= held.length; size = sizeOf(held)) {
      messages += 1;
      if (messages > MAX_MESSAGES) throw new WrongAnswer('its answer has too many entries');
      const message = held.subarray(0, size);
      held = held.subarray(size);
      result = checkMessage(message) ?? result;
      goesOn = push(message);
    }
    return goesOn;
  };
  socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (!Buffer.isBuffer(chunk)) return push(chunk, encoding);
    if (fault !== null) return false;
    try {
      return check(chunk);
    } catch (error) {
      fault = error instanceof WrongAnswer ? error.message : NO_SENSE;
      socket.destroy();
      return false;
    }
  };
  return {
    reset: () => {
      [bytes, messages] = [0, 0];
    },
    fault: () => fault,
    result: () => result,
  };
}

/** Of what is no LDAP, or is damaged. */
export const NO_SENSE = 'its answer makes no sense';

/** The message is fixed: it goes to the log. */
class WrongAnswer extends Error {}
const requireThat = (holds: boolean) => {
  if (!holds) throw new WrongAnswer(NO_SENSE);
};

/** Of the first message; null: that cannot be told yet. */
function sizeOf(bytes: Buffer): number | null {
  if (bytes.length === 0) return null;
  requireThat(bytes[0] === SEQUENCE);
  const head = lengthAt(bytes, 1);
  if (head === null) return null;
  if (head.length > MAX_BYTES) throw new WrongAnswer('its answer is too large');
  return head.from + head.length;
}

/** The length that begins at a byte, and where what it is of begins; null: the bytes end before. */
function lengthAt(bytes: Buffer, at: number): { from: number; length: number } | null {
  const first = bytes[at];
  if (first === undefined) return null;
  if (first < 0x80) return { from: at + 1, length: first };
  const size = first & 0x7f;
  // the indefinite form is not allowed (RFC 4511 §5.1), and four bytes are more than any limit
  requireThat(size >= 1 && size <= 4);
  if (bytes.length < at + 1 + size) return null;
  return { from: at + 1 + size, length: bytes.readUIntBE(at + 1, size) };
}

type Element = { tag: number; value: Buffer };

/** What fills these bytes exactly. */
function elementsIn(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = lengthAt(bytes, at + 1);
    requireThat(head !== null && head.from + head.length <= bytes.length);
    const { from, length } = head as NonNullable<typeof head>;
    found.push({ tag: bytes[at] as number, value: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return found;
}

/** The code of a result; null: it is none. */
function checkMessage(message: Buffer): number | null {
  const [whole] = elementsIn(message);
  const [id, operation, controls, ...more] = elementsIn((whole as Element).value);
  requireThat(id?.tag === INTEGER && id.value.length >= 1 && id.value.length <= 4);
  requireThat(more.length === 0 && (controls === undefined || controls.tag === CONTROLS));
  for (const { tag, value } of controls ? elementsIn(controls.value) : []) {
    requireThat(tag === SEQUENCE && elementsIn(value)[0]?.tag === OCTETS);
  }
  requireThat(operation !== undefined);
  const { tag, value } = operation as Element;
  if (tag === ENTRY) checkEntry(elementsIn(value));
  else if (tag === REFERENCE) requireThat(elementsIn(value).every((uri) => uri.tag === OCTETS));
  else {
    const [code, matched, told] = elementsIn(value);
    requireThat(RESULTS.includes(tag) && code?.tag === ENUMERATED && [1, 2].includes(code.value.length));
    requireThat(matched?.tag === OCTETS && told?.tag === OCTETS);
    return (code as Element).value.readUIntBE(0, (code as Element).value.length);
  }
  return null;
}

function checkEntry([name, attributes, ...more]: Element[]): void {
  requireThat(name?.tag === OCTETS && attributes?.tag === SEQUENCE && more.length === 0);
  for (const attribute of elementsIn((attributes as Element).value)) {
    const [type, values, ...rest] = elementsIn(attribute.value);
    requireThat(attribute.tag === SEQUENCE && type?.tag === OCTETS && rest.length === 0);
    requireThat(values?.tag === SET);
    requireThat(elementsIn((values as Element).value).every(({ tag }) => tag === OCTETS));
  }
}
