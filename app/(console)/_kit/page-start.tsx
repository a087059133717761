// The start of a page: data for its forms, and the notice with a result.

import { UNDO_SECONDS } from '#lib/catalogue/subscriptions/operations.ts';
import { isFromOutside } from '#lib/http/navigation.ts';
import type { Words } from '#lib/language/words.ts';
import { consoleFormToken } from '#lib/sessions/console.ts';
import type { PageWords } from '../_texts/page-words.ts';
import { say } from '../_texts/say.tsx';
import type { Area } from './console-form.ts';
import type { Draft } from './draft.ts';
import { Form, InTime, Submit } from './form.tsx';
import { noticeOf, type Telling } from './notices.ts';
import { testInWords } from './test-result.ts';
import type { SaidTest } from './test-steps.tsx';

/** What a page needs to render a form: the form's address, its token, and the faults of the last attempt. */
export type FormStart = {
  action: string;
  token: string;
  message: string | null;
  faults: Record<string, string>;
  /**
   * the version of the object that the user saw; undefined: the newest version, whose values the page shows with the
   * input
   */
  seen?: string;
  test?: SaidTest;
  /** message of the script if the service does not respond */
  unreachable?: string;
};

export async function startForm(
  area: Area,
  name: string,
  cookie: string | undefined,
  draft: Draft | null,
  words: PageWords | null = null,
): Promise<FormStart> {
  const back = draft?.form === name ? draft : null;
  const token = (await consoleFormToken(cookie, name)) ?? '';
  const { message = null, faults = {} } = back ?? {};
  const start = { action: `/${area}/submit/${name}`, token, message, faults, ...seenVersion(back) };
  if (words === null) return start;
  const test = back?.test && { test: testInWords(words.say, back.test) };
  return { ...start, ...test, unreachable: words.t('account.unreachable') };
}

/**
 * A form that is displayed again (with a question, a fault or a test result) keeps the version that was
 * displayed first, so that saving detects a concurrent change.
 */
function seenVersion(draft: Draft | null): { seen?: string } {
  const version = draft?.entries.find(([name]) => name === 'version')?.[1];
  return version === undefined || draft?.because === 'stale' ? {} : { seen: version };
}

/** Where the form of a sign-in page posts, with its hidden fields. */
export const postOf = ({ action, token }: FormStart, fields: Readonly<Record<string, string>>) => ({
  action,
  fields: { anti_forgery: token, ...fields },
});

type NoticeProps = {
  done: string | undefined;
  /** the object that the form changed */
  about?: Telling['about'];
  problems?: Telling['problems'];
  undo?: { fields: NonNullable<Telling['undo']>; start: FormStart; secondsAgo: number } | undefined;
  told: Words['told'];
};

/** Shows results and failures of the last form. `done`: id of the notice. */
export function Notice({ done, about = null, problems = [], undo, told }: NoticeProps) {
  const noticeMessage = noticeOf(done);
  if (noticeMessage === null) return null;
  const notice = told(noticeMessage);
  const name = about === null || typeof about === 'string' ? about : told(about);
  const [, what, rest] = (name !== null && /^([\p{L}\p{M}]+)[.。] ?(.*)$/su.exec(notice)) || [];
  const text = (
    <>
      {name !== null && (
        <>
          {what && `${what}: `}
          <bdi>{name}</bdi>
          {what ? '. ' : ': '}
        </>
      )}
      {rest ?? notice}
    </>
  );
  if (problems.length === 0 && !undo)
    return (
      <p className="notice" role="status">
        {text}
      </p>
    );
  return (
    <div className="notice" role="status">
      <p>{text}</p>
      {problems.length > 0 && (
        <div className="notice-problems">
          <p>{say('Not decided:')}</p>
          <ul>
            {problems
              .map(({ of, why }) => (of === undefined ? told(why) : `${of}: ${told(why)}`))
              .map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
          </ul>
        </div>
      )}
      {undo && (
        <InTime seconds={Math.max(1, UNDO_SECONDS - undo.secondsAgo)}>
          <Form {...undo.start} label={say('Undo')}>
            {undo.fields.map(([name, value]) => (
              <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
            ))}
            <Submit tone="plain">{say('Undo')}</Submit>
          </Form>
        </InTime>
      )}
    </div>
  );
}

// `done` in an address names the notice of a form. A link on another site can contain the same address although no
// form was sent, so visitors from other sites see no notice. The exception is `credential-refused`, because
// app/_proxy.ts redirects typed addresses to it.

type Query = Record<string, string>;

export function withoutForeignNotice(headers: { get(name: string): string | null }, query: Query): Query {
  if (query['done'] === 'credential-refused') return query;
  if (!isFromOutside({ 'sec-fetch-site': headers.get('sec-fetch-site') ?? undefined })) return query;
  const { done: _, ...rest } = query;
  return rest;
}
