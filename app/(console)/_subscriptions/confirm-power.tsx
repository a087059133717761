// What is approved with power is asked about once more, below the buttons: a second click in the same place does
// nothing.

import { inEnglish } from '#lib/language/words.ts';
import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { ASKED_ID } from '../_forms/confirm.ts';
import { say, spoken } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { deviceMeans, machineMeans, powersInWords, trustedMeans } from '../_ui/subscription-words.ts';
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
  const { told } = spoken();
  const confirmed = inEnglish(powersInWords(of));
  const powers = told(powersInWords(of));
  const resumes = fields['action'] === 'resume';
  const client = plainText(of.clientName);
  const page = `/admin/subscriptions/${encodeURIComponent(of.clientId)}/${encodeURIComponent(of.api)}`;
  const words = resumes
    ? say('Resume it as {powers}', { powers })
    : say('Approve it as {powers}', { powers });
  const leave = { href: from === 'inbox' && place ? requestPath(of, place) : page, label: say('Not now') };
  return (
    <section className="confirm-power" id={ASKED_ID} tabIndex={-1} aria-labelledby="confirm-power">
      <Callout>
        <h2 id="confirm-power">
          {resumes
            ? say('Resume {client} as {powers}?', { client, powers })
            : say('Approve {client} as {powers}?', { client, powers })}
        </h2>
        {of.trusted && (
          <p>
            <strong>{say('Trusted:')}</strong> {told(trustedMeans(of.apiName))}
          </p>
        )}
        {of.machine && (
          <p>
            <strong>{say('Machine:')}</strong> {told(machineMeans(of))}
          </p>
        )}
        {of.device && (
          <p>
            <strong>{say('Device:')}</strong> {told(deviceMeans(of.apiName))}
          </p>
        )}
        {formId === null ? (
          <Form {...start} fields={{ ...fields, confirmed }} submit={words} leave={leave} />
        ) : (
          <p className="form-actions">
            <Submit form={formId} name="confirmed" value={confirmed}>
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
