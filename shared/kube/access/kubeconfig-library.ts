/** The only part of the library that is used. A static import lets the bundler drop its thousand API classes. */
export { KubeConfig } from '@kubernetes/client-node';
