export { type Explanation, type ExplanationAsked, explainRequest } from './explain.ts';
export { type ExplainedStep, type Note, STEP_NAMES, type StepName } from './steps.ts';
