// What several routes take. Only shapes: whether a value makes sense, the operation says.
import { z } from 'zod';

export const paging = {
  cursor: z.string().max(1000).optional().describe('`next` of the page before'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};
export const search = { search: z.string().max(200).optional() };
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const words = z.array(z.string().max(2000)).max(500);
export const name = z.string().max(500);
export const activity = z.enum(['active', 'disabled']).optional();
export const moment = z.iso.datetime({ offset: true }).transform((value) => new Date(value));
