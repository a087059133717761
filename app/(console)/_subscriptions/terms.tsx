import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { TermsFields } from './terms-fields.tsx';

type TermsProps = { of: SubscriptionView; start: FormStart; typed: FormValues };

/** The terms of what is approved already, for those who may change them. */
export function Terms({ of, start, typed }: TermsProps) {
  if (!of.may.terms) return null;
  const { clientId, api, version } = of;
  return (
    <Panel
      id="terms"
      heading={say('Terms')}
      lead={say(
        'Who may use it here, and for how long. Anyone left out has no access from the next request on, except with a JWT that the API checks by itself.',
      )}
    >
      <Form {...start} className="form" fields={{ clientId, api, version }} submit={say('Change terms')}>
        <TermsFields of={of} typed={typed.kept ? typed : null} />
      </Form>
    </Panel>
  );
}
