export { type Explanation, type ExplanationAsked, explainRequest } from './explain.ts';
export type { ExplainedStep, Note, StepName } from './steps.ts';
