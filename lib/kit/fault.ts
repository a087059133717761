// Text of a fault with the values of its placeholders, so that pages can translate it.

/** Names of a message's arguments: text between `{` and `,` or `}`. Branches of an argument are texts. */
export type Arguments<Text> = Text extends `${string}{${infer Inside}}${infer Rest}`
  ? Inside extends `${infer Name},${string}`
    ? Name | Arguments<Inside extends `${string}{${string}` ? AfterBranches<Rest> : Rest>
    : Inside | Arguments<Rest>
  : never;
/** The text after an argument with branches. `Rest`: the text after its first branch. */
type AfterBranches<Rest> = Rest extends `}${infer After}`
  ? After
  : Rest extends `${string}{${string}}${infer More}`
    ? AfterBranches<More>
    : never;

/** Template of a fault, and the values of its placeholders. */
export type FaultParams = { text: string; values: Readonly<Record<string, FaultValue>> };
/** A list is written `a, b, c`, or `a, b or c` if its name is `choices`. */
type FaultValue = string | number | readonly string[];

/** The English `message` follows the name of the field. Without `params`, it is its own template. */
export type FaultText = { message: string; params?: FaultParams };

/** Creates the fault from its template and the values of the placeholders. */
export function fault<const Text extends string>(
  text: Text,
  values: Readonly<Record<Arguments<Text>, FaultValue>>,
): Required<FaultText> {
  const byName: FaultParams['values'] = values;
  const message = text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = byName[name] ?? placeholder;
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    return name === 'choices' ? orList(value) : value.join(', ');
  });
  return { message, params: { text, values } };
}

/** The same fault as the error of a check that is not custom. Zod copies `params` from the issue. */
export function checkFault<const Text extends string>(
  text: Text,
  values: Readonly<Record<Arguments<Text>, FaultValue>>,
) {
  const { message, params } = fault(text, values);
  return {
    error: (issue: { [name: string]: unknown }) => {
      issue['params'] = params;
      return message;
    },
  };
}

export const orList = (choices: readonly string[]): string =>
  choices.length < 2 ? choices.join() : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
