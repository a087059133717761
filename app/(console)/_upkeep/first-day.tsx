// The list of who runs the service. What is said of each step is here; whether it is done, the operation knows.
import { type FirstDayStep, readFirstDay } from '#lib/management/upkeep/first-day.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import type { Visit } from '../_visit/visit.tsx';
import { Checklist, type ChecklistItem } from './checklist.tsx';
import { Finding } from './finding.tsx';

type Told = { title: string; text: string; say?: string };

const TOLD: Record<FirstDayStep['step'], Told> = toSay({
  address: {
    title: 'An address with TLS',
    text: 'Set BASE_URL to the https address that people and applications use.',
  },
  mail: {
    title: 'A mail server',
    text: 'Set SMTP_URL, send yourself a test message, and say here that it arrived.',
    say: 'It arrived',
  },
  role: {
    title: 'A database role of its own',
    text: 'With it the service can neither change the schema nor what is in the audit log.',
    say: 'Not needed here',
  },
  backup: {
    title: 'A backup, and one that was put back',
    text: 'Keep GATEHOUSE_SECRET with it: without it sealed values are lost.',
    say: 'Done',
  },
  'second-factor': {
    title: 'A second factor for every administrator',
    text: 'Each sets one up on their own account page.',
  },
  method: {
    title: 'A sign-in method',
    text: 'How people prove who they are: our own passwords, your service, or a broker.',
  },
  api: {
    title: 'An API that people sign in for',
    text: 'What tokens are for. It lists the sign-in methods that it accepts.',
  },
  client: { title: 'A client', text: 'The first application that asks for tokens.' },
  metrics: {
    title: 'Metrics',
    text: 'Set METRICS_PORT or METRICS_TOKEN, and let the alerts reach a person.',
    say: 'Not needed here',
  },
});

const guide = (name: string) => `/documentation/guides/${name}`;
const PLACES: Record<FirstDayStep['step'], string> = {
  address: guide('deploy-node'),
  mail: '/admin/connections',
  role: guide('audit'),
  backup: guide('operations#putting-a-backup-back'),
  'second-factor': '/account/security',
  method: '/admin/auth-methods',
  api: '/admin/apis',
  client: '/admin/clients/new',
  metrics: guide('operations#metrics'),
};

/** Null: all is done, or this person has put the list away. */
export async function FirstDay({ actor, form }: Visit) {
  const { steps, complete, away } = await readFirstDay(actor);
  if (complete || away) return null;
  const items = await Promise.all(
    steps.map(async ({ step, done, said, sayable, found }): Promise<ChecklistItem> => {
      const { title, text, say: saying = '' } = TOLD[step];
      const mark = sayable || said ? { start: await form('first-day'), done: sayable } : null;
      return {
        step,
        title: say(title),
        href: PLACES[step],
        done,
        text: (
          <>
            <p>{say(text)}</p>
            {found && (
              <p>
                <Finding>{found}</Finding>
              </p>
            )}
          </>
        ),
        ...(said && { aside: say('said by an administrator') }),
        ...(mark && { mark: { ...mark, label: sayable ? say(saying) : say('Take it back') } }),
      };
    }),
  );
  return (
    <Checklist
      list="service"
      lead={say('What this service needs before people rely on it. Lines tick themselves off.')}
      items={items}
      away={await form('checklist')}
    />
  );
}
