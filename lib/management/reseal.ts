// Rotating GATEHOUSE_SECRET: what an older secret sealed is sealed anew by the first, so that the older can be dropped.
import { log, needsReseal, seal, unseal } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { directory, replaceSealed } from '#lib/store/index.ts';

type Sealed = { table: 'signing_keys' | 'auth_methods'; id: string; value: string; purpose: string };

/** What the first secret did not seal. */
export async function listOldSeals(): Promise<Sealed[]> {
  const { keys, methods } = await directory();
  const all: Sealed[] = keys.map(({ kid, sealedPrivate }) => ({
    table: 'signing_keys',
    id: kid,
    value: sealedPrivate,
    purpose: `signing key ${kid}`,
  }));
  for (const { id, sealedSecret: value } of methods.values()) {
    if (value !== null) all.push({ table: 'auth_methods', id, value, purpose: `auth_methods:${id}` });
  }
  return all.filter(({ value }) => needsReseal(value, settings().secrets));
}

/** Safe on several instances at once. What no known secret opens is left as it is; `doctor` names it. */
export async function resealStored(): Promise<number> {
  const { secrets } = settings();
  let count = 0;
  for (const { table, id, value: before, purpose } of await listOldSeals()) {
    const plain = unseal(before, purpose, secrets);
    if (plain === null) continue;
    if (await replaceSealed(table, { id, before, after: seal(plain, purpose, secrets) })) count += 1;
  }
  if (count > 0) log().info({ count }, 'stored secrets were sealed anew by the first GATEHOUSE_SECRET');
  return count;
}
