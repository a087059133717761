// The form that edits an object.

import type { ReactNode } from 'react';
import type { Consequences as Found } from '#lib/management/core/consequences.ts';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import type { FormStart } from '../_visit/start-form.ts';
import { Consequences } from './consequences.tsx';

type ObjectFormProps = {
  start: FormStart;
  /** the object's id, and the version that was seen */
  fields: Record<string, string | number>;
  /** the object's page */
  leave: string;
  children: ReactNode;
};

type EditProps = ObjectFormProps & {
  /** what saving breaks, once the form has come back to be confirmed */
  consequences: Found | false;
  agreed: string;
  /** the button that tests what was typed */
  also?: { intent: string; label: string } | undefined;
};

export function EditPanel({ start, fields, leave, consequences, agreed, also, children }: EditProps) {
  return (
    <Panel id="edit" heading={say('Edit')}>
      <Form
        {...start}
        fields={fields}
        submit={consequences ? say('Save it anyway') : say('Save')}
        also={also}
        leave={{ href: leave, label: say('Cancel') }}
      >
        {children}
        {consequences && (
          <Consequences of={consequences} heading={say('Saving this has consequences')} agreed={agreed} />
        )}
      </Form>
    </Panel>
  );
}
