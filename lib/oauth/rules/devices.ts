// Does an API let devices without a browser be connected (RFC 8628)? Off until it says so: it is the flow that people
// are talked into most (RFC 10027).
import type { SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';

export const connectsDevices = ({ deviceGrant }: Pick<SnapshotApi, 'deviceGrant'>): boolean =>
  deviceGrant === 'on';

/** For the client's developer. */
export const DEVICES_OFF =
  'This API connects no devices: an administrator sets device_grant to on (docs/devices.md).';
