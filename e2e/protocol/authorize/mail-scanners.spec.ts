// RFC 9110 §9.2.1: programs that open the links in mails, and even those that post the form behind a link, do
// not use up the link. Only the person uses the link up.
import { expect, test } from '@playwright/test';
import { mint } from '#lib/tokens/formats.ts';
import type { Person } from '#testing/data/world.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { Browser, hiddenFields } from '#testing/service/browser.ts';
import { makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const NEW_PASSWORD = 'seven quiet herons by the weir';
const GUESS = 'chosen by a scanner of mails';

/** Mail links that end in a form, with the user's input and expected result. */
const LINKS = {
  'reset-password': {
    purpose: 'password-reset',
    typed: { password: NEW_PASSWORD },
    guessed: { password: GUESS },
    done: "select 1 from people where email = $1 and password_changed_at > now() - interval '1 minute'",
  },
  'verify-email': {
    purpose: 'verify-email',
    typed: {},
    guessed: {},
    done: 'select 1 from people where email = $1 and email_verified_at is not null',
  },
} as const;

async function givenLink(purpose: string, { email }: Person): Promise<string> {
  const { value, hash } = mint('mail');
  await sql(
    `insert into mail_tokens (token_hash, purpose, person_id, email, expires_at)
     select $1, $2, id, email, now() + interval '1 hour' from people where email = $3`,
    [hash, purpose, email],
  );
  return value;
}

for (const [name, { purpose, typed, guessed, done }] of Object.entries(LINKS))
  test(`/account/${name}: after scanners opened and posted the link, it still works for its user, once`, async () => {
    const person = await makePerson();
    await sql(
      "update people set email_verified_at = null, password_changed_at = now() - interval '1 day' where email = $1",
      [person.email],
    );
    const token = await givenLink(purpose, person);
    const link = `${door.url}/account/${name}?token=${token}`;
    const action = `${door.url}/account/submit/${name}`;
    const html = { accept: 'text/html' };
    let page: Answer | undefined;
    for (const localAddress of ['127.0.0.21', '127.0.0.22', '127.0.0.23']) {
      page = await send(link, { headers: html, localAddress });
      expect([page.status, page.text.includes(person.email)]).toEqual([200, true]);
    }
    for (const method of ['HEAD', 'OPTIONS']) await send(link, { method, headers: html });
    // a script submits the form of the page without the cookies of the page
    const fields = page ? hiddenFields(page) : {};
    expect(fields).toMatchObject({ token });
    for (const headers of [html, { ...html, origin: door.url }]) {
      const posted = await send(action, { form: { ...fields, ...guessed }, headers });
      expect(posted.location, posted.text.slice(0, 200)).not.toContain('done=');
      expect(posted.status).not.toBe(200);
    }
    expect(await sql(done, [person.email])).toEqual([]);

    const browser = new Browser(door);
    const form = await browser.get(link);
    expect(form.text).toContain(person.email);
    await browser.onward(
      await browser.submit(`/account/submit/${name}`, { ...hiddenFields(form), ...typed }),
    );
    expect(await sql(done, [person.email])).toHaveLength(1);
    expect((await browser.get(link)).text).not.toContain(person.email);
  });
