import { doorTo } from '#app/_plain.ts';
import { handleManagementApi } from '#lib/management-api/index.ts';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = doorTo(handleManagementApi);
export const dynamic = 'force-dynamic';
