/**
 * What is used of the library for YAML. It is CommonJS: loaded directly when it is needed, its names would be missing in
 * the bundle.
 */
export { Document, Scalar, visit } from 'yaml';
