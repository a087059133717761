// Which method here a provider of the source is: the export has no registration of its clients, so it is chosen.
import { authMethodId } from '#lib/registry/fields/values.ts';
import type { Notes } from '../reading/notes.ts';
import type { Part } from '../reading/part.ts';

type Identity = { auth_method: string; subject: string; email?: string; name?: string };

/** Null: its identities are left out, or it is not chosen yet. */
export type MethodOf = (provider: string) => string | null;

/** Each is asked for once, by the path `providers.NAME`. */
export function methodsChosen(notes: Notes): MethodOf {
  const chosen = new Map<string, string | null>();
  return (name) => {
    const known = chosen.get(name);
    if (known !== undefined) return known;
    const question = `people sign in by ${name}: the id of the method that it is here`;
    const answer = notes.decide(`providers.${name}`, question, (given) => authMethodId.safeParse(given).data);
    chosen.set(name, answer ?? null);
    return answer ?? null;
  };
}

type Keys = { kind: string; subject: string; own: readonly string[]; unused: readonly string[] };

export function identitiesOf(parts: readonly Part[], methodOf: MethodOf, keys: Keys): Identity[] {
  return parts.flatMap((part) => {
    const [kind = '', subject] = [part.text(keys.kind), part.text(keys.subject)];
    const [email, name] = [part.text('email'), part.text('displayName') ?? part.text('name')];
    part.leaveOutAll(keys.unused, 'it is asked for at the next sign-in');
    if (keys.own.includes(kind)) {
      part.sayOfAll('changed', 'is the account itself');
      return [];
    }
    const method = subject === undefined ? null : methodOf(kind);
    if (method !== null && subject !== undefined)
      return [{ auth_method: method, subject, ...(email && { email }), ...(name && { name }) }];
    part.sayOfAll('left out', `${kind} is no method here`);
    return [];
  });
}
