/** The manifests that name the image of a version. */
export const taggedManifests = ['deploy/kubernetes/example/kustomization.yaml', 'deploy/kubernetes/import-example/kustomization.yaml']

/** The manifest with the tag of this version. */
export const withTag = (manifest: string, version: string) => {
  const tag = /(?<=newTag: ).+/
  if (!tag.test(manifest)) throw new Error('The manifest has no newTag')
  return manifest.replace(tag, version)
}
