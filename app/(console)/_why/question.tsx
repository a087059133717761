// The question of "Why?". The form is a GET, so that the answer has an address and needs no script.
import type { ReactNode } from 'react';
import { say } from '../_texts/say.tsx';
import { Choice } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { SelectField } from '../_ui/select-field.tsx';

export type WhyAsked = {
  client: string;
  api: string;
  whose: string;
  email: string;
  method: string;
  scope: string;
};

export function whyAsked(query: Readonly<Record<string, string>>): WhyAsked {
  const { client = '', api = '', whose = 'me', email = '', method = '', scope = '' } = query;
  return { client: client.trim(), api, whose, email: email.trim(), method, scope: scope.trim() };
}

type QuestionProps = {
  path: string;
  asked: WhyAsked;
  /** the field for what the page does not name: the API of a client, or the client of an API */
  children: ReactNode;
  methods: readonly (readonly [id: string, name: string])[];
  /** whether other people may be asked for */
  others: boolean;
  /** whether the client may have tokens of its own */
  own: boolean;
};

export function WhyQuestion({ path, asked, children, methods, others, own }: QuestionProps) {
  return (
    <Panel
      id="why"
      heading={say('Would it get a token?')}
      lead={say(
        'The steps that the authorize and token addresses take, by the same rules. Nothing is given.',
      )}
    >
      <form action={path} className="form">
        {children}
        <Choice
          name="whose"
          label={say('Whose token?')}
          value={asked.whose}
          options={[
            { value: 'me', label: say('Mine'), note: say('You sign in to the application.') },
            ...(others
              ? [
                  {
                    value: 'person',
                    label: say('A person’s'),
                    note: say('The audit log has that you asked.'),
                    below: (
                      <TextField
                        name="email"
                        label={say('E-mail')}
                        type="email"
                        value={asked.email}
                        optionalWord=""
                        optional
                      />
                    ),
                  },
                ]
              : []),
            ...(own
              ? [
                  {
                    value: 'client',
                    label: say('The application’s own'),
                    note: say('Nobody signs in (client_credentials).'),
                  },
                ]
              : []),
          ]}
        />
        <SelectField
          name="method"
          label={say('Sign-in method')}
          value={asked.method}
          groups={[['', [['', say('The first that they have')], ...methods]]]}
        />
        <TextField
          name="scope"
          label={say('Scope')}
          hint={say('As the request has it, with spaces between.')}
          value={asked.scope}
          code
          optional
          maxLength={2000}
        />
        <p>
          <button type="submit" className="button">
            {say('Say why')}
          </button>
        </p>
      </form>
    </Panel>
  );
}
