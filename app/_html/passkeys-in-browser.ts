// Runs in browsers, on pages with a form for a passkey (app/_components/sign-in-parts.tsx): asks the browser for what
// the form's data-options say, puts the answer into its field, and sends it like any form. `node
// scripts/passkey-script.ts` makes public/passkeys.js of it.
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
/** Counts the presses: a browser, or a program that answers for it, may answer an older one late, or never. */
let presses = 0;

/** What the browser's person chose: the answer is in the form, and sent. */
function send(form: HTMLFormElement, answer: unknown): void {
  const field = form.elements.namedItem('credential') as HTMLInputElement;
  field.value = JSON.stringify(answer);
  form.requestSubmit();
}

const optionsOf = (form: HTMLFormElement) => ({ optionsJSON: JSON.parse(form.dataset['options'] ?? '{}') });

/** Each press asks again: the page never waits for an answer that does not come. */
async function ask(form: HTMLFormElement): Promise<void> {
  if (!form.reportValidity()) return;
  presses += 1;
  const press = presses;
  say(form, 'refused', '');
  say(form, 'asking', form.dataset['asking'] ?? '');
  try {
    const create = form.dataset['passkey'] === 'create';
    const answer = await (create ? startRegistration(optionsOf(form)) : startAuthentication(optionsOf(form)));
    if (press === presses) send(form, answer);
  } catch (error) {
    if (press !== presses) return;
    const exists = error instanceof Error && error.name === 'InvalidStateError';
    say(form, 'asking', '');
    say(form, 'refused', form.dataset[exists ? 'existsThere' : 'nothingUsed'] ?? '');
    offering = false;
    void offer(form);
  }
}

/**
 * Passkeys beside the names that the browser remembers. It waits until one is chosen, another is asked for, or the page
 * goes.
 */
async function offer(form: HTMLFormElement): Promise<void> {
  if (form.dataset['conditional'] === undefined || offering) return;
  offering = true;
  const press = presses;
  try {
    // an offer would end what the button asks for
    if (!(await browserSupportsWebAuthnAutofill()) || press !== presses) return;
    const answer = await startAuthentication({ ...optionsOf(form), useBrowserAutofill: true });
    if (press === presses) send(form, answer);
  } catch {
    // it was ended by the button, or the browser has no passkey: the person had not asked
  }
}

function say(form: HTMLFormElement, kind: 'asking' | 'refused', message: string): void {
  const place = form.querySelector<HTMLElement>(`[data-passkey-says="${kind}"]`);
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
  document.addEventListener('click', ({ target, detail }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>(ASK) : null;
    // the second click of a double click is no second press
    if (button?.form && detail < 2) void ask(button.form);
  });
  prepare();
  // the console changes its pages in place
  new MutationObserver(prepare).observe(document.documentElement, { childList: true, subtree: true });
}
