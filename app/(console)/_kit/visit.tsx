// The start of every console page: reads the session (without one, shows the sign-in form) and the draft, and renders
// the page or its error inside the frame.
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { LANGUAGE_PARAMETER } from '#app/_components/frame.tsx';
import { readQuery, type SearchParams } from '#app/_components/page-input.ts';
import { factsOfHeaders } from '#app/_doors/plain.ts';
import { now } from '#lib/kit/clock.ts';
import type { Plain, Told } from '#lib/language/message.ts';
import { maySetUpNow } from '#lib/management/console-sign-in.ts';
import { mayDo } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { readOverview } from '#lib/management/service.ts';
import { type ConsoleActor, readConsoleVisitor } from '#lib/sessions/console.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { speakIn } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { refusedAccess } from './access.ts';
import type { Area } from './console-form.ts';
import { FormValues, findDraft, pageAfterSignIn } from './draft.ts';
import { Frame, type FrameNotice, guideOfPage } from './frame.tsx';
import { type Telling, takeNotice } from './notices.ts';
import { frameOf, visitWords } from './page-language.ts';
import { type FormStart, startForm, withoutForeignNotice } from './page-start.tsx';
import { SecondStep, SignIn } from './sign-in.tsx';
import { withQuery } from './with-query.ts';

/** Shows the message of an error inside the frame, instead of the page. */
export async function Refusal({ heading, message }: { heading: Plain; message: Told }) {
  const { t, told } = await visitWords();
  const requestId = (await headers()).get('x-request-id');
  return (
    <div className="refusal">
      <h1>{t(heading)}</h1>
      <p className="lead">{told(message)}</p>
      {requestId && (
        <p className="soft">
          {t('frame.request_id')} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

export type Visit = {
  actor: ConsoleActor;
  query: Record<string, string>;
  /** returns the address, token and faults of the form with this name */
  form: (name: string) => Promise<FormStart>;
  /** returns the draft of the form with this name */
  typed: (name: string) => FormValues;
  words: PageWords;
};

type Page = {
  area: Area;
  /** the selected item of the navigation */
  here: string | ((actor: ConsoleActor) => string);
  /** the page's own address */
  path: string;
  searchParams: SearchParams;
  /** for a page that sets the title of the window: the English title if it cannot be shown */
  kind?: string;
};

/** The title of the window, from the page to its list. */
export const windowTitle = (...parts: string[]): string => [...parts, 'Gatehouse'].join(' · ');

const LEADS: Record<Exclude<Area, 'account'>, string> = toSay({
  developer: 'To register applications and subscribe them to APIs.',
  admin: 'To decide on requests and run this service.',
});

export async function visit(
  { area, here, path, searchParams, kind }: Page,
  render: (visit: Visit) => Promise<ReactNode>,
): Promise<ReactNode> {
  const sent = await headers();
  const cookie = sent.get('cookie') ?? undefined;
  const query = withoutForeignNotice(sent, await readQuery(searchParams));
  const visitor = await readConsoleVisitor(cookie, factsOfHeaders(sent));
  const actor = visitor?.kind === 'person' ? visitor : null;
  const { draft: draftId, done, told, method, [LANGUAGE_PARAMETER]: _, ...kept } = query;
  const words = await visitWords();
  speakIn(words);
  const draft = await findDraft(draftId, { actor, cookie });
  const title = kind !== undefined && <title>{windowTitle(words.say(kind))}</title>;
  if (!actor) {
    const pageAddress = withQuery(path, draftId === undefined || draft ? kept : { ...kept, draft: draftId });
    const to = pageAfterSignIn(pageAddress, draft);
    if (visitor?.kind === 'unfinished' && (visitor.owes === 'confirm' || maySetUpNow(visitor, now())))
      return (
        <>
          {title}
          <SecondStep who={visitor} {...{ to, draft, cookie, done, query }} />
        </>
      );
    return (
      <>
        {title}
        <SignIn
          choice={area === 'account'}
          {...{ to, query, draft, cookie }}
          lead={area === 'account' ? words.t('console.lead') : words.say(LEADS[area])}
        />
      </>
    );
  }
  const start = (name: string) => startForm(area, name, cookie, draft, words);
  const draftOf = (name: string) => new FormValues(draft?.form === name ? draft : null);
  const findArea = findAreaOf(actor);
  const [content, { pending }, signOut, find] = await Promise.all([
    renderGuarded(() => render({ actor, query, form: start, typed: draftOf, words }), title),
    readOverview(actor),
    startForm('account', 'sign-out', cookie, null, words),
    findArea && startForm(findArea, 'find', cookie, null, words),
  ]);
  const telling = told === undefined ? { about: null } : await takeNotice(told, done, actor);
  const place = typeof here === 'string' ? here : here(actor);
  const notice = await noticeIn(telling, done, () => startForm('admin', 'undo', cookie, null));
  const frameProps = {
    actor,
    here: place,
    pending,
    ...notice,
    signOut,
    find,
    guide: guideOfPage(path === '/admin' ? place : path),
    words,
    frame: frameOf(words, query),
  };
  return <Frame {...frameProps}>{content}</Frame>;
}

/** A page without parameters in its path. `here`: the selected item of the navigation, if it is not a list above. */
export function consolePage(
  page: string | { path: string; here: Page['here'] },
  render: (visit: Visit) => Promise<ReactNode>,
) {
  const { path, here } = typeof page === 'string' ? { path: page, here: navigationItem(page) } : page;
  return ({ searchParams }: Pick<Page, 'searchParams'>): Promise<ReactNode> =>
    visit({ area: areaOf(path), here, path, searchParams }, render);
}

const areaOf = (path: string) => path.split('/')[1] as Area;
const navigationItem = (path: string) => path.split('/', areaOf(path) === 'account' ? 2 : 3).join('/');

/** The area of the search results; null: users without a role cannot search. */
function findAreaOf(actor: ConsoleActor): Area | null {
  if (mayDo(actor, 'subscriptions.decide')) return 'admin';
  return mayDo(actor, 'clients.see-own') ? 'developer' : null;
}

/**
 * Reads the notice that the address names. Undefined `telling`: the notice belongs to another user, or was shown
 * before.
 */
async function noticeIn(
  telling: (Telling & { secondsAgo?: number }) | undefined,
  done: string | undefined,
  start: () => Promise<FormStart>,
): Promise<FrameNotice> {
  if (telling === undefined) return { done: undefined, about: null };
  const { about, problems, undo: fields, secondsAgo = 0 } = telling;
  return { done, about, problems, undo: fields && { fields, secondsAgo, start: await start() } };
}

async function renderGuarded(render: () => Promise<ReactNode>, title: ReactNode): Promise<ReactNode> {
  try {
    return await render();
  } catch (error) {
    // app/_proxy.ts has made the same check and set the status; this check covers requests that bypass the
    // proxy
    if (error instanceof Refused)
      return (
        <>
          {title}
          <Refusal {...refusedAccess(error, await visitWords())} />
        </>
      );
    throw error;
  }
}
