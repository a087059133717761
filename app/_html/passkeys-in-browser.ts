// Runs in browsers, on pages with a form for a passkey (app/_components/passkey-form.tsx): asks the browser for what the form's
// data-options say, puts the answer into its field, and sends it like any form. `node scripts/passkey-script.ts` makes
// public/passkeys.js of it.
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  sendSignal,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';

const FORM = 'form[data-passkey]';
const ASK = 'button[data-passkey-ask]';
const SIGNAL = '[data-passkey-signal]';

type Prepared<Kind extends HTMLElement> = Kind & { passkeyReady?: boolean };
const fresh = <Kind extends HTMLElement>(selector: string) =>
  [...document.querySelectorAll<Prepared<Kind>>(selector)].filter((one) => !one.passkeyReady);

/** In the background, as suggestions of the field for the name. */
let offering = false;
let asking = false;

/** What the browser's person chose: the answer is in the form, and sent. */
function send(form: HTMLFormElement, answer: unknown): void {
  const field = form.elements.namedItem('credential') as HTMLInputElement;
  field.value = JSON.stringify(answer);
  form.requestSubmit();
}

const optionsOf = (form: HTMLFormElement) => ({ optionsJSON: JSON.parse(form.dataset['options'] ?? '{}') });

async function ask(form: HTMLFormElement): Promise<void> {
  if (asking || !form.reportValidity()) return;
  asking = true;
  say(form, '');
  try {
    const create = form.dataset['passkey'] === 'create';
    send(form, await (create ? startRegistration(optionsOf(form)) : startAuthentication(optionsOf(form))));
  } catch (error) {
    const exists = error instanceof Error && error.name === 'InvalidStateError';
    say(form, form.dataset[exists ? 'existsThere' : 'nothingUsed'] ?? '');
    offering = false;
    void offer(form);
  } finally {
    asking = false;
  }
}

/** Passkeys beside the names that the browser remembers. It waits until one is chosen, another is asked for, or the page goes. */
async function offer(form: HTMLFormElement): Promise<void> {
  if (form.dataset['conditional'] === undefined || offering) return;
  offering = true;
  try {
    if (!(await browserSupportsWebAuthnAutofill())) return;
    send(form, await startAuthentication({ ...optionsOf(form), useBrowserAutofill: true }));
  } catch {
    // it was ended by the button, or the browser has no passkey: nobody had asked for anything
  }
}

function say(form: HTMLFormElement, message: string): void {
  const place = form.querySelector<HTMLElement>('[data-passkey-message]');
  if (!place) return;
  place.textContent = message;
  place.hidden = message === '';
}

function prepare(): void {
  for (const form of fresh<HTMLFormElement>(FORM)) {
    form.passkeyReady = true;
    form.hidden = false;
    void offer(form);
  }
  for (const button of fresh<HTMLButtonElement>(ASK)) {
    button.passkeyReady = true;
    button.hidden = false;
  }
  for (const one of fresh<HTMLElement>(SIGNAL)) {
    one.passkeyReady = true;
    const accepted = JSON.parse(one.dataset['passkeySignal'] ?? '{}');
    // browsers without the Signal API are told nothing, and keep what was removed here
    sendSignal({ signalName: 'allAcceptedCredentials', ...accepted }).catch(() => {});
  }
}

if (browserSupportsWebAuthn()) {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>(ASK) : null;
    if (button?.form) void ask(button.form);
  });
  prepare();
  // the console changes its pages in place
  new MutationObserver(prepare).observe(document.documentElement, { childList: true, subtree: true });
}
