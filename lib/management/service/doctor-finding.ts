// What the doctor found of one part of the service.
export type Finding = { check: string; state: 'ok' | 'warning' | 'broken'; detail: string };

export const finding =
  (state: Finding['state']) =>
  (check: string, detail: string): Finding => ({ check, state, detail });
