// The forms that one object has: the one that edits it, the one that deletes it, and the buttons of every form.
import type { ReactNode } from 'react';
import type { Consequences as Found } from '#lib/management/index.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { Consequences } from './consequences.tsx';
import { Form } from './form.tsx';
import { Panel } from './pieces.tsx';
import { Submit } from './submit.tsx';

type ActionsProps = {
  submit: string;
  tone?: 'main' | 'plain' | 'danger';
  leave: string;
  leaveLabel?: string;
};

/** The button that sends the form, and the way out. */
export function FormActions({ submit, tone = 'main', leave, leaveLabel = 'Cancel' }: ActionsProps) {
  return (
    <div className="form-actions">
      <Submit tone={tone}>{submit}</Submit>
      <a className="button quiet" href={leave}>
        {leaveLabel}
      </a>
    </div>
  );
}

type ObjectFormProps = {
  start: FormStart;
  /** what the form sends besides: the id, and the version that was seen */
  hidden: Readonly<Record<string, string | number>>;
  /** the object's page */
  leave: string;
  children: ReactNode;
};

function Hidden({ of }: { of: ObjectFormProps['hidden'] }) {
  return Object.entries(of).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}

type EditProps = ObjectFormProps & {
  /** what saving breaks, once the form has come back to be confirmed */
  consequences: Found | false;
  agreed: string;
};

export function EditPanel({ start, hidden, leave, consequences, agreed, children }: EditProps) {
  return (
    <Panel id="edit" heading="Edit">
      <Form {...start}>
        <Hidden of={hidden} />
        {children}
        {consequences && (
          <Consequences of={consequences} heading="Saving this has consequences" agreed={agreed} />
        )}
        <FormActions submit={consequences ? 'Save it all the same' : 'Save'} leave={leave} />
      </Form>
    </Panel>
  );
}

type DeleteProps = ObjectFormProps & { name: string; lead: string; them?: 'it' | 'them' };

/** The children say what ends with it. */
export function DeletePanel({ start, hidden, leave, name, lead, them = 'it', children }: DeleteProps) {
  return (
    <Panel id="delete" heading={`Delete ${name}?`} lead={lead}>
      <Form {...start}>
        <Hidden of={hidden} />
        {children}
        <FormActions
          submit={`Delete ${them} for good`}
          tone="danger"
          leave={leave}
          leaveLabel={`Keep ${them}`}
        />
      </Form>
    </Panel>
  );
}
