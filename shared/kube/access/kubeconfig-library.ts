/** The only part of the library that Reroll uses. The static import lets the bundler drop its thousand API classes. */
export { KubeConfig } from '@kubernetes/client-node';
