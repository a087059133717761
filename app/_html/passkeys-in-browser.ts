// Runs in browsers, on pages with a passkey form (app/_components/sign-in-parts.tsx): passes the `data-options` of
// the form to the browser, puts the response into a field of the form, and submits it. `node
// scripts/passkey-script.ts` builds public/passkeys.js from this file.
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
  [...document.querySelectorAll<Prepared<Kind>>(selector)].filter((element) => !element.passkeyReady);

/** True while the browser offers passkeys as suggestions of the name field. */
let offering = false;
/** Number of button presses: a browser or password manager can answer an older request late, or never. */
let presses = 0;

/** Submits the form with the passkey's response. */
function send(form: HTMLFormElement, answer: unknown): void {
  const field = form.elements.namedItem('credential') as HTMLInputElement;
  field.value = JSON.stringify(answer);
  form.requestSubmit();
}

const optionsOf = (form: HTMLFormElement) => ({ optionsJSON: JSON.parse(form.dataset['options'] ?? '{}') });

/** Each press of the button starts a new prompt, so the page never waits for a response that does not come. */
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
 * Offers passkeys among the names that the browser remembers. Waits until the user selects a passkey, another prompt
 * starts, or the page closes.
 */
async function offer(form: HTMLFormElement): Promise<void> {
  if (form.dataset['conditional'] === undefined || offering) return;
  offering = true;
  const press = presses;
  try {
    // if the button was pressed meanwhile, an offer would cancel the prompt of the button
    if (!(await browserSupportsWebAuthnAutofill()) || press !== presses) return;
    const answer = await startAuthentication({ ...optionsOf(form), useBrowserAutofill: true });
    if (press === presses) send(form, answer);
  } catch {
    // the button cancelled the offer, or there is no passkey; no message is shown, because the user did not request a
    // passkey
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
  for (const element of fresh<HTMLElement>(SIGNAL)) {
    element.passkeyReady = true;
    const accepted = JSON.parse(element.dataset['passkeySignal'] ?? '{}');
    // browsers without the Signal API keep a passkey that was removed at Gatehouse; this failure is ignored
    sendSignal({ signalName: 'allAcceptedCredentials', ...accepted }).catch(() => {});
  }
}

if (browserSupportsWebAuthn()) {
  document.addEventListener('click', ({ target, detail }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>(ASK) : null;
    // ignores the second click of a double click
    if (button?.form && detail < 2) void ask(button.form);
  });
  prepare();
  // prepares forms that appear later, because the console changes its pages without a reload
  new MutationObserver(prepare).observe(document.documentElement, { childList: true, subtree: true });
}
