import path from 'node:path';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { readWrittenMail } from '#lib/kit/mail.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { until } from '#testing/net/until.ts';
import { Browser, hiddenFields } from '#testing/service/browser.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';
import { comparedSignIns, pour, quietSignIns, rowsOver, signInsDuring } from '../../support/flood.ts';
import type { Instance } from '../../support/instance.ts';

const FORM = { name: 'Flo', password: 'a-password-of-a-stranger' };
const SUBMIT = '/register/submit';
const FORMS_PER_SECOND = 100;
/** Each address registers in three browsers. The limit for all addresses together is 100 mails in five seconds. */
const BROWSERS = [1, 2, 3];
const ADDRESSES = { quick: 5, whole: 30 };

type Proved = { browser: Browser; fields: Record<string, string>; from: Record<string, string> };

/**
 * One address, verified in several browsers: the form of one browser waits for approval, the other forms become void.
 */
export const registrationFlood: Fault = {
  name: 'registration-flood',
  title: 'proved registrations that nothing can become of, finished again and again',
  async run(context) {
    const many = context.quick ? ADDRESSES.quick : ADDRESSES.whole;
    await context.inside(() =>
      changeAuthMethod(OPERATOR, { id: 'pw', config: { registration: 'approval' } }),
    );
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    const addresses = Array.from({ length: many }, (_, number) => number);
    const forms = (
      await Promise.all(addresses.map((number) => provedByAll(context, instance, number)))
    ).flat();
    const quiet = await quietSignIns(context, instance);
    const ended = new Map<string, number>();
    const flood = pour({ seconds: context.quick ? 2 : 20, perSecond: FORMS_PER_SECOND }, async (number) => {
      const how = await finish(forms[number % forms.length] as Proved);
      ended.set(how, (ended.get(how) ?? 0) + 1);
    });
    const signIns = comparedSignIns(context, quiet, await signInsDuring(context, instance, flood));
    const rows = await rowsOver(context, {
      waiting: { of: "person_registrations where kind = 'waiting'", most: many },
      proved: { of: "person_registrations where kind <> 'waiting'", most: 0 },
      people: { of: "people where email like 'flood-%'", most: 0 },
      events: { of: "audit_events where event = 'person.waiting'", most: many },
    });
    const broken = [...signIns.broken, ...rows.broken, ...(await context.lostSlots(instance))];
    const odd = [...ended.keys()].filter((how) => !USUAL.has(how));
    if (odd.length > 0) broken.push(`the form led to ${odd.join(', ')}`);
    const said = [...ended].map(([how, count]) => `${count} × ${how}`).join(', ');
    return {
      broken,
      notes: `${forms.length} forms of ${many} addresses: ${said}; ${signIns.note}; rows: ${rows.note}`,
    };
  },
};

/** `not now`: form with an error message. */
const USUAL = new Set(['waits', 'waits-already', 'gone', 'not now', '503']);

async function provedByAll(context: Context, instance: Instance, number: number): Promise<Proved[]> {
  const email = `flood-${number}@example.com`;
  const forms: Proved[] = [];
  for (const browser of BROWSERS) {
    const from = { 'x-forwarded-for': `198.51.${browser}.${number + 1}` };
    forms.push(await proveAddress(context, instance, { email, from, mails: browser }));
  }
  return forms;
}

/** Continues from the client's request to the password form. `mails`: sequence number of the mail to this address. */
async function proveAddress(
  context: Context,
  instance: Instance,
  { email, from, mails }: { email: string; from: Record<string, string>; mails: number },
): Promise<Proved> {
  const browser = new Browser(instance.door);
  const start = await browser.start(PLAIN, { prompt: 'create' });
  const typing = await browser.onward(await browser.submit(SUBMIT, { ...hiddenFields(start), email }, from));
  const folder = path.join(context.folder, 'mail');
  const toThem = async () => (await readWrittenMail(folder, 10_000)).filter(({ to }) => to === email);
  await until(async () => (await toThem()).length >= mails);
  const [newest] = await toThem();
  const code = /code is (\d{3} \d{3})/.exec(newest?.text ?? '')?.[1] ?? '';
  const answer = await browser.submit(SUBMIT, { ...hiddenFields(typing), code }, from);
  return { browser, from, fields: hiddenFields(await browser.onward(answer)) };
}

async function finish({ browser, fields, from }: Proved): Promise<string> {
  const answer = await browser.submit(SUBMIT, { ...fields, ...FORM }, from).catch(() => null);
  if (answer?.status !== 303) return String(answer?.status ?? 'no answer');
  return new URL(answer.location).searchParams.get('done') ?? 'not now';
}
