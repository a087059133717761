// E-mail addresses of before their one form: canonicalised where that changes nobody else's, and named where two people have one.
import { expect, test } from 'vitest';
import { sqlOn } from '#testing/data/sql.ts';
import { emailForms, findLocalCredential } from '../index.ts';

const sql = sqlOn(process.env['DATABASE_URL']);
const DOMAIN = `b\u00fccher-${Date.now()}.example`;
const ASCII = new URL(`http://${DOMAIN}`).hostname;

const insert = async (email: string) => {
  const [row] = await sql<{ id: string }>(
    `insert into people (email, name, password_hash) values ($1, 'Ada', 'x') returning id::text`,
    [email],
  );
  return row?.id as string;
};
const emailOf = async (id: string) =>
  (await sql<{ email: string }>('select email from people where id = $1', [id]))[0]?.email;

test('a stored U-label becomes its A-labels, at several migrators at once, and those who share one are left and named', async () => {
  const alone = await insert(`ada@${DOMAIN}`);
  const nfd = await insert(`jo\u0308rg@${DOMAIN}`);
  const nfc = await insert(`j\u00f6rg@${ASCII}`);
  const old = await insert(`bob@${DOMAIN}`);
  const taken = await insert(`bob@${ASCII}`);
  const runs = await Promise.all(Array.from({ length: 5 }, emailForms.bring));
  expect(await emailOf(alone)).toBe(`ada@${ASCII}`);
  expect((await findLocalCredential(`ada@${ASCII}`, 'pw'))?.personId).toBe(alone);
  expect([await emailOf(nfd), await emailOf(nfc)]).toEqual([`jo\u0308rg@${DOMAIN}`, `j\u00f6rg@${ASCII}`]);
  expect([await emailOf(old), await emailOf(taken)]).toEqual([`bob@${DOMAIN}`, `bob@${ASCII}`]);
  for (const found of [...runs, await emailForms.collisions()]) {
    const ours = found.filter(({ canonical }) => canonical.endsWith(ASCII));
    const ids = ours.map(({ people }) => people.map(({ id }) => id).sort());
    expect(ids.sort()).toEqual([[nfd, nfc].sort(), [old, taken].sort()].sort());
  }
  await sql('delete from people where id = any ($1::uuid[])', [[alone, nfd, nfc, old, taken]]);
});
