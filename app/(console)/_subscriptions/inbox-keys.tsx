'use client';

// Keys for the inbox: j and k go through the list, a approves, r rejects, x selects, u undoes, ? tells them. They do
// nothing while one types, and can be switched off (WCAG 2.1.4).
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { toSay } from '../_texts/to-say.ts';

const KEYS = [
  ['j', toSay('The next request')],
  ['k', toSay('The one before')],
  ['a', toSay('Approve')],
  ['r', toSay('Reject, with a reason')],
  ['x', toSay('Select it, or not')],
  ['u', toSay('Undo, for ten seconds')],
  ['/', toSay('Find anything')],
  ['?', toSay('This help')],
] as const;

const OFF = 'inbox-keys-off';

const one = (selector: string) => document.querySelector<HTMLElement>(selector);
const rows = () => [...document.querySelectorAll<HTMLAnchorElement>('.inbox-list .row-title > a')];

function go(by: 1 | -1): void {
  const links = rows();
  const here = links.findIndex((link) => link.getAttribute('aria-current') === 'true');
  const to = links[here < 0 ? 0 : here + by];
  if (to) window.location.assign(to.href);
}

function reject(): void {
  const summary = one('.decide > details:has([name="reason"]) > summary');
  // without a field for a reason the button rejects at once, so it is only focused
  if (!summary) {
    one('.decide .button.danger')?.focus();
    return;
  }
  const details = summary.parentElement as HTMLDetailsElement;
  details.open = true;
  details.querySelector('textarea')?.focus();
}

const ACTS = new Map<string, () => void>([
  ['j', () => go(1)],
  ['k', () => go(-1)],
  ['a', () => one('.decide [data-approves]')?.click()],
  ['r', reject],
  ['x', () => one('.inbox-list .row:has([aria-current="true"]) input[name="item"]')?.click()],
  ['u', () => one('.notice .undo button')?.click()],
]);

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    (target.matches('input, textarea, select') && !target.matches('input[type="checkbox"]')));

const nothing = () => () => {};

export function InboxKeys() {
  const say = useSay();
  const help = useRef<HTMLDialogElement>(null);
  const [isOff, setOff] = useState<boolean | null>(null);
  const hasScript = useSyncExternalStore(
    nothing,
    () => true,
    () => false,
  );
  const off = isOff ?? (hasScript && localStorage.getItem(OFF) !== null);

  useEffect(() => {
    function press(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || help.current?.open) return;
      if (event.key === '?') help.current?.showModal();
      const act = off ? undefined : ACTS.get(event.key);
      if (act === undefined || event.repeat) return;
      event.preventDefault();
      act();
    }
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [off]);

  // its place is kept before the script runs: what one is about to press does not move
  const button = (
    <button
      type="button"
      className={hasScript ? 'as-link inbox-help' : 'as-link inbox-help unready'}
      onClick={() => help.current?.showModal()}
    >
      {say('Keys')}
    </button>
  );
  if (!hasScript) return button;
  return (
    <>
      {button}
      <dialog ref={help} className="keys" aria-labelledby="keys">
        <h2 id="keys">{say('Keys')}</h2>
        <dl>
          {KEYS.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{say(does)}</dd>
            </div>
          ))}
        </dl>
        <label>
          <input
            type="checkbox"
            checked={!off}
            onChange={({ target }) => {
              if (target.checked) localStorage.removeItem(OFF);
              else localStorage.setItem(OFF, 'off');
              setOff(!target.checked);
            }}
          />{' '}
          {say('Use these keys in this browser')}
        </label>
        <form method="dialog">
          <button type="submit" className="button plain">
            {say('Close')}
          </button>
        </form>
      </dialog>
    </>
  );
}
