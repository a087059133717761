// Resolves names below `localhost` to this machine (RFC 6761 §6.3): browsers do this, but Node's resolver may not.
// Tests import this module, directly or with `node --import`.
import dns from 'node:dns';

const { lookup } = dns;
const named = (name: string) => (name.endsWith('.localhost') ? '127.0.0.1' : name);

Object.assign(dns, {
  lookup: (name: string, ...rest: unknown[]) => Reflect.apply(lookup, dns, [named(name), ...rest]),
});
