/** From Maven Central. The versions of what comes from PyPI are in deploy/spark/requirements.txt. */
export const connector = 'org.mongodb.spark:mongo-spark-connector_2.13:10.5.0'
