// Every name under `localhost` is this machine (RFC 6761 §6.3): browsers know that by themselves, and Node asks the
// machine's resolver, which may not. Imported by a test, and by a program with `node --import`.
import dns from 'node:dns';

const { lookup } = dns;
const named = (name: string) => (name.endsWith('.localhost') ? '127.0.0.1' : name);

Object.assign(dns, {
  lookup: (name: string, ...rest: unknown[]) => Reflect.apply(lookup, dns, [named(name), ...rest]),
});
