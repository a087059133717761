import { answerAtHost } from '#app/_host.ts';
import { doorTo } from '#app/_plain.ts';
import { handleManagementApi } from '#lib/management-api/index.ts';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = doorTo(
  async (request) => (await answerAtHost(request)) ?? handleManagementApi(request),
);
export const dynamic = 'force-dynamic';
