// What an event keeps of a change: each field that changed, before and after it. No secret is among them, and a value
// that would make it too long is left out by name.

/** Of `before` and `after` together, as JSON in UTF-8. */
export const MAX_DIFF_BYTES = 8_192;

/** Fields of these names never keep a value. */
const SECRETS = new Set([
  ...['secret', 'clientSecret', 'client_secret', 'configSecret', 'introspectionSecret', 'verify_token'],
  ...['password', 'passwordHash', 'configHash', 'configPassword', 'sealedSecret', 'sealed_secret'],
]);
/** Of a private JWK (RFC 7518 §6). */
const PRIVATE = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']);

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The details with a `before` and `after` that may be stored; what was too long is named in `leftOut`. */
export function boundedDetails(details: Values): Values {
  const { before, after } = details;
  const sides = Object.entries({ before, after }).flatMap(([side, values]) =>
    isValues(values) ? [{ side, values: withoutSecrets(values) }] : [],
  );
  if (sides.length === 0) return details;
  const kept = new Set(sides.flatMap(({ values }) => Object.keys(values)));
  const withKept = () =>
    Object.fromEntries(
      sides.map(({ side, values }) => [
        side,
        Object.fromEntries(Object.entries(values).filter(([name]) => kept.has(name))),
      ]),
    );
  const length = (name: string) =>
    Buffer.byteLength(JSON.stringify(sides.map(({ values }) => values[name] ?? null)));
  const longest = [...kept].toSorted((a, b) => length(b) - length(a));
  const leftOut: string[] = [];
  for (const name of longest) {
    if (Buffer.byteLength(JSON.stringify(withKept())) <= MAX_DIFF_BYTES) break;
    kept.delete(name);
    leftOut.push(name);
  }
  return { ...details, ...withKept(), ...(leftOut.length > 0 && { leftOut }) };
}

const withoutSecrets = (fields: Values): Values =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      SECRETS.has(name) ? [] : [[name, withoutPrivateKeys(value)]],
    ),
  );

function withoutPrivateKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrivateKeys);
  if (!isValues(value)) return value;
  const isKey = 'kty' in value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      isKey && PRIVATE.has(name) ? [] : [[name, withoutPrivateKeys(one)]],
    ),
  );
}
