// The frame of the console: navigation on the left (on a phone behind a button), the page beside it.
import type { ReactNode } from 'react';
import { Mark } from '#app/_components/mark.tsx';
import { Name } from '#app/_components/name.tsx';
import type { ConsoleActor } from '#lib/sessions/index.ts';
import { INBOX } from '../_subscriptions/words.ts';
import { Form } from '../_ui/form.tsx';
import { Submit } from '../_ui/submit.tsx';
import { type Group, groupsFor } from './navigation.ts';
import { Notice } from './notice.tsx';
import type { FormStart } from './start-form.ts';

type FrameProps = {
  actor: ConsoleActor;
  here: string;
  pending: number;
  /** the id of the notice to show */
  done: string | undefined;
  signOut: FormStart;
  children: ReactNode;
};

export function Frame({ actor, here, pending, done, signOut, children }: FrameProps) {
  const groups = groupsFor(actor);
  const links = <Links groups={groups} here={here} pending={pending} />;
  return (
    <div className="console">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="console-bar">
        <a className="brand" href="/">
          <Mark />
          <span>Gatehouse</span>
        </a>
        <details className="console-menu">
          <summary>Menu</summary>
          <nav aria-label="Console, menu">{links}</nav>
        </details>
        <nav className="console-nav" aria-label="Console">
          {links}
        </nav>
        <div className="console-person">
          <p>
            <span className="unseen">Signed in as </span>
            <strong>
              <Name>{actor.name || actor.email || 'You'}</Name>
            </strong>
            {actor.name && actor.email && <bdi>{actor.email}</bdi>}
          </p>
          <Form {...signOut} className="inline">
            <Submit tone="link">Sign out</Submit>
          </Form>
        </div>
      </header>
      <main id="content" className="console-main" tabIndex={-1}>
        <Notice done={done} />
        {children}
      </main>
    </div>
  );
}

function Links({ groups, here, pending }: { groups: Group[]; here: string; pending: number }) {
  return groups.map(({ title, places }) => (
    <div key={title} className="console-group">
      {groups.length > 1 && <p aria-hidden="true">{title}</p>}
      <ul>
        {places.map(({ href, label }) => (
          <li key={href}>
            <a href={href} aria-current={href === here ? 'page' : undefined}>
              {label}
              {href === INBOX && pending > 0 && (
                <span className="count">
                  {pending}
                  <span className="unseen"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </div>
  ));
}
