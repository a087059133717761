// What is approved with power is asked about once more, below the buttons: a second click in the same place does
// nothing.

import type { SubscriptionView } from '#lib/management/index.ts';
import { plainText } from '#lib/registry/index.ts';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { machineMeans, powersInWords, trustedMeans } from '../_ui/subscription-words.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { type Place, requestPath } from './place.ts';

type ConfirmPowerProps = {
  of: SubscriptionView;
  start: FormStart;
  fields: Record<string, string | number>;
  from: 'inbox' | 'subscription';
  place?: Place | undefined;
  /** of the form that has the terms of the approval; null: there is none */
  formId: string | null;
};

export function ConfirmPower({ of, start, fields, from, place, formId }: ConfirmPowerProps) {
  const powers = powersInWords(of);
  const verb = fields['action'] === 'resume' ? say('Resume') : say('Approve');
  const page = `/admin/subscriptions/${encodeURIComponent(of.clientId)}/${encodeURIComponent(of.api)}`;
  const words = `${verb} it as ${powers}`;
  const leave = { href: from === 'inbox' && place ? requestPath(of, place) : page, label: say('Not now') };
  return (
    <section className="confirm-power" aria-labelledby="confirm-power">
      <Callout>
        <h2 id="confirm-power">
          {verb} {plainText(of.clientName)} as {powers}?
        </h2>
        {of.trusted && (
          <p>
            <strong>{say('Trusted:')}</strong> {trustedMeans(of.apiName)}
          </p>
        )}
        {of.machine && (
          <p>
            <strong>{say('Machine:')}</strong> {machineMeans(of)}
          </p>
        )}
        {formId === null ? (
          <Form {...start} fields={{ ...fields, confirmed: powers }} submit={words} leave={leave} />
        ) : (
          <p className="form-actions">
            <Submit form={formId} name="confirmed" value={powers}>
              {words}
            </Submit>
            <a className="button quiet" href={leave.href}>
              {leave.label}
            </a>
          </p>
        )}
      </Callout>
    </section>
  );
}
