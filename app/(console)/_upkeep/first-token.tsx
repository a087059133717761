// The list of who builds on the service, from what their applications have.
import {
  type FirstToken as Asked,
  type FirstTokenStep,
  readFirstToken,
} from '#lib/management/upkeep/first-token.ts';
import { path } from '../_forms/form.ts';
import { say } from '../_texts/say.tsx';
import type { Visit } from '../_visit/visit.tsx';
import { BringBack, Checklist, type ChecklistItem } from './checklist.tsx';

function told(
  step: FirstTokenStep['step'],
  { clientId }: Asked,
): Pick<ChecklistItem, 'title' | 'text' | 'href'> {
  const client = clientId === null ? '/developer/clients/new' : path('developer', 'clients', clientId);
  switch (step) {
    case 'client':
      return {
        title: say('An application'),
        text: say('Three questions: where it runs, its name, where people come back to.'),
        href: '/developer/clients/new',
      };
    case 'api':
      return {
        title: say('An API that it may ask for'),
        text: say('Choose one from the catalogue and subscribe.'),
        href: '/developer/catalogue',
      };
    case 'token':
      return {
        title: say('A first token'),
        text: say('The playground shows the whole exchange; the page Code has it for your language.'),
        href: clientId === null ? '/developer/playground' : `${client}/code`,
      };
    case 'https':
      return {
        title: say('A redirect address over https'),
        text: say('Before people use it: codes that come back over http can be read on the way.'),
        href: clientId === null ? client : `${client}/edit`,
      };
    case 'second-factor':
      return {
        title: say('A second factor for yourself'),
        text: say('Who has your account has your applications.'),
        href: '/account/security',
      };
  }
}

/** Null: all is done. */
export async function FirstToken({ actor, form }: Visit) {
  const list = await readFirstToken(actor);
  if (list.complete) return null;
  const start = await form('checklist');
  if (list.away) return <BringBack list="own" start={start} />;
  return (
    <Checklist
      list="own"
      lead={say('From nothing to an application that people use. Lines tick themselves off.')}
      items={list.steps.map(({ step, done, waits }) => ({
        ...told(step, list),
        step,
        done,
        ...(waits && { aside: say('asked for: an approver decides') }),
      }))}
      away={start}
    />
  );
}
