'use client';

// Membership rules of a group.
import { type ReactNode, useId } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { EarlyTextArea } from './fields.tsx';
import { useFormState } from './form.tsx';
import { NO_RULE, RULES, type TypedRule } from './group-rules.ts';
import { LinesField, RemoveButton } from './pairs-field.tsx';

type RulesFieldProps = {
  label: string;
  hint: ReactNode;
  each: string;
  values: readonly TypedRule[];
  meanwhile: string | undefined;
  methods: readonly { id: string; name: string }[];
};

export function RulesField({ methods, ...group }: RulesFieldProps) {
  return (
    <LinesField
      {...group}
      empty={NO_RULE}
      spare={2}
      line={(line) => <Rule {...line} each={group.each} methods={methods} />}
    />
  );
}

type RuleProps = Pick<RulesFieldProps, 'each' | 'methods'> & {
  value: TypedRule;
  index: number;
  remove: (() => void) | null;
};

function Rule({ value, index, each, methods, remove }: RuleProps) {
  const say = useSay();
  const id = useId();
  const { faults } = useFormState();
  const faultOf = (part: string) =>
    Object.entries(faults).find(([field]) => field.startsWith(`${RULES}.${index}.${part}`))?.[1];
  const row = { each, number: index + 1 };
  const input = (part: keyof TypedRule, label: string) => {
    const fault = faultOf(part);
    return {
      name: `${RULES}.${part}`,
      defaultValue: value[part],
      'aria-label': label,
      'aria-invalid': fault !== undefined || undefined,
      'aria-describedby': fault === undefined ? undefined : `${id}-fault`,
    };
  };
  const fault = faultOf('auth_method') ?? faultOf('claim') ?? faultOf('values');
  const isKnown = value.auth_method === '' || methods.some((method) => method.id === value.auth_method);
  return (
    <div className="line rule-line">
      <select {...input('auth_method', say('{each} {number}, sign-in method', row))}>
        <option value="">{say('Sign-in method…')}</option>
        {!isKnown && <option value={value.auth_method}>{value.auth_method}</option>}
        {methods.map((method) => (
          <option key={method.id} value={method.id} translate="no">
            {method.name}
          </option>
        ))}
      </select>
      <input
        {...input('claim', say('{each} {number}, claim', row))}
        placeholder="groups"
        className="code"
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
      />
      <RemoveButton of={`${each} ${index + 1}`} remove={remove} />
      <EarlyTextArea
        {...input('values', say('{each} {number}, values', row))}
        id={`${id}-values`}
        placeholder={say('One value per line. A person with any of these values is added')}
        className="code"
        rows={2}
      />
      {fault && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
