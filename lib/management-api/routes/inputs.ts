// What several routes take. Only shapes: whether a value makes sense, the operation says.
import { z } from 'zod';
import { LIST_ORDERS, type ListName } from '#lib/management/core/orders.ts';

export const paging = {
  cursor: z
    .string()
    .max(1000)
    .optional()
    .describe('`next` or `previous` of another page, with the order and the filters of that page'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};
/** `own`: the order without this parameter, where it is not the list's. */
export function paged(list: ListName, own = LIST_ORDERS[list][0]) {
  const orders = LIST_ORDERS[list];
  const order = z.enum(orders, `must be one of ${orders.join(', ')}`);
  return { ...paging, order: order.optional().describe(`\`-\` turns it around; left out: \`${own}\``) };
}
export const search = { search: z.string().max(200).optional() };
const day = (what: string) => z.string().max(20).optional().describe(what);
/** `from` and `to` of these, each a whole day of the person who asks. */
export const days = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => [
      [`${name}From`, day('a day, such as 2026-01-31, in the time zone of the person who asks, or in UTC')],
      [`${name}To`, day('the last day, which counts as well')],
    ]),
  ) as { [Side in `${Name}${'From' | 'To'}`]: z.ZodOptional<z.ZodString> };
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const words = z.array(z.string().max(2000)).max(500);
export const name = z.string().max(500);
export const activity = z.enum(['active', 'disabled']).optional();
export const moment = z.iso.datetime({ offset: true }).transform((value) => new Date(value));
