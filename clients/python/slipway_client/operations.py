# Made of the OpenAPI documents by npm run client:types; a test compares the two. Do not edit.
from __future__ import annotations

from typing import Any, Callable
from urllib.parse import quote

Send = Callable[..., Any]


def _part(value: object) -> str:
    return quote(str(value), safe="")


class ManagementApi:
    """The management API: everything under /api/v1."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list_connections(
        self,
        *,
        type: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every connection"""
        return self._send(
            "GET",
            f"/api/v1/connection",
            query={"type": type},
            headers=headers,
        )

    def replace_connection(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a connection; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/connection",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_connection(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a connection"""
        return self._send(
            "POST",
            f"/api/v1/connection",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_connection(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one connection"""
        return self._send(
            "GET",
            f"/api/v1/connection/{_part(id)}",
            headers=headers,
        )

    def delete_connection(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a connection"""
        return self._send(
            "DELETE",
            f"/api/v1/connection/{_part(id)}",
            headers=headers,
        )

    def list_toolchain_integrations(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every toolchain integration"""
        return self._send(
            "GET",
            f"/api/v1/toolchain/integration",
            headers=headers,
        )

    def replace_toolchain_integration(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a toolchain integration; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/toolchain/integration",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_toolchain_integration(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a toolchain integration"""
        return self._send(
            "POST",
            f"/api/v1/toolchain/integration",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_toolchain_integration(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one toolchain integration"""
        return self._send(
            "GET",
            f"/api/v1/toolchain/integration/{_part(id)}",
            headers=headers,
        )

    def delete_toolchain_integration(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a toolchain integration"""
        return self._send(
            "DELETE",
            f"/api/v1/toolchain/integration/{_part(id)}",
            headers=headers,
        )

    def list_packaging_integrations(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every packaging integration"""
        return self._send(
            "GET",
            f"/api/v1/packaging/integration",
            headers=headers,
        )

    def replace_packaging_integration(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a packaging integration; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/packaging/integration",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_packaging_integration(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a packaging integration"""
        return self._send(
            "POST",
            f"/api/v1/packaging/integration",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_packaging_integration(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one packaging integration"""
        return self._send(
            "GET",
            f"/api/v1/packaging/integration/{_part(id)}",
            headers=headers,
        )

    def delete_packaging_integration(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a packaging integration"""
        return self._send(
            "DELETE",
            f"/api/v1/packaging/integration/{_part(id)}",
            headers=headers,
        )

    def list_model_trainings(
        self,
        *,
        toolchain: Any = None,
        model_name: Any = None,
        model_version: Any = None,
        state: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every training"""
        return self._send(
            "GET",
            f"/api/v1/model/training",
            query={"toolchain": toolchain, "model_name": model_name, "model_version": model_version, "state": state},
            headers=headers,
        )

    def replace_model_training(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a training; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/model/training",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_model_training(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a training"""
        return self._send(
            "POST",
            f"/api/v1/model/training",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_model_training(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one training"""
        return self._send(
            "GET",
            f"/api/v1/model/training/{_part(id)}",
            headers=headers,
        )

    def delete_model_training(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a training"""
        return self._send(
            "DELETE",
            f"/api/v1/model/training/{_part(id)}",
            headers=headers,
        )

    def list_model_packagings(
        self,
        *,
        type: Any = None,
        integration_name: Any = None,
        artifact_name: Any = None,
        state: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every packaging"""
        return self._send(
            "GET",
            f"/api/v1/model/packaging",
            query={"type": type, "integrationName": integration_name, "artifactName": artifact_name, "state": state},
            headers=headers,
        )

    def replace_model_packaging(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a packaging; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/model/packaging",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_model_packaging(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a packaging"""
        return self._send(
            "POST",
            f"/api/v1/model/packaging",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_model_packaging(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one packaging"""
        return self._send(
            "GET",
            f"/api/v1/model/packaging/{_part(id)}",
            headers=headers,
        )

    def delete_model_packaging(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a packaging"""
        return self._send(
            "DELETE",
            f"/api/v1/model/packaging/{_part(id)}",
            headers=headers,
        )

    def list_model_deployments(
        self,
        *,
        role_name: Any = None,
        state: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every deployment"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment",
            query={"roleName": role_name, "state": state},
            headers=headers,
        )

    def replace_model_deployment(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a deployment; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/model/deployment",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_model_deployment(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a deployment"""
        return self._send(
            "POST",
            f"/api/v1/model/deployment",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_model_deployment(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one deployment"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment/{_part(id)}",
            headers=headers,
        )

    def delete_model_deployment(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a deployment"""
        return self._send(
            "DELETE",
            f"/api/v1/model/deployment/{_part(id)}",
            headers=headers,
        )

    def list_model_routes(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every route"""
        return self._send(
            "GET",
            f"/api/v1/model/route",
            headers=headers,
        )

    def replace_model_route(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a route; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/model/route",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_model_route(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a route"""
        return self._send(
            "POST",
            f"/api/v1/model/route",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_model_route(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one route"""
        return self._send(
            "GET",
            f"/api/v1/model/route/{_part(id)}",
            headers=headers,
        )

    def delete_model_route(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a route"""
        return self._send(
            "DELETE",
            f"/api/v1/model/route/{_part(id)}",
            headers=headers,
        )

    def list_model_pipelines(
        self,
        *,
        model_name: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every pipeline"""
        return self._send(
            "GET",
            f"/api/v1/model/pipeline",
            query={"model_name": model_name},
            headers=headers,
        )

    def replace_model_pipeline(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a pipeline; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/model/pipeline",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_model_pipeline(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a pipeline"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_model_pipeline(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one pipeline"""
        return self._send(
            "GET",
            f"/api/v1/model/pipeline/{_part(id)}",
            headers=headers,
        )

    def delete_model_pipeline(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a pipeline"""
        return self._send(
            "DELETE",
            f"/api/v1/model/pipeline/{_part(id)}",
            headers=headers,
        )

    def list_inference_services(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every inference service"""
        return self._send(
            "GET",
            f"/api/v1/batch/service",
            headers=headers,
        )

    def replace_inference_service(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Replace a inference service; fields that are left out are cleared"""
        return self._send(
            "PUT",
            f"/api/v1/batch/service",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def create_inference_service(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a inference service"""
        return self._send(
            "POST",
            f"/api/v1/batch/service",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_inference_service(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one inference service"""
        return self._send(
            "GET",
            f"/api/v1/batch/service/{_part(id)}",
            headers=headers,
        )

    def delete_inference_service(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a inference service"""
        return self._send(
            "DELETE",
            f"/api/v1/batch/service/{_part(id)}",
            headers=headers,
        )

    def list_inference_jobs(
        self,
        *,
        inference_service_id: Any = None,
        state: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List every inference job"""
        return self._send(
            "GET",
            f"/api/v1/batch/job",
            query={"inferenceServiceId": inference_service_id, "state": state},
            headers=headers,
        )

    def create_inference_job(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Create a inference job"""
        return self._send(
            "POST",
            f"/api/v1/batch/job",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_inference_job(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one inference job"""
        return self._send(
            "GET",
            f"/api/v1/batch/job/{_part(id)}",
            headers=headers,
        )

    def delete_inference_job(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Delete a inference job"""
        return self._send(
            "DELETE",
            f"/api/v1/batch/job/{_part(id)}",
            headers=headers,
        )

    def get_model_training_log(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Read the log, or follow it to its end"""
        return self._send(
            "GET",
            f"/api/v1/model/training/{_part(id)}/log",
            headers=headers,
        )

    def cancel_model_training(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Cancel the run; the training ends as failed, reason Cancelled"""
        return self._send(
            "POST",
            f"/api/v1/model/training/{_part(id)}/cancel",
            headers=headers,
        )

    def rerun_model_training(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Run the training again as it is"""
        return self._send(
            "POST",
            f"/api/v1/model/training/{_part(id)}/rerun",
            headers=headers,
        )

    def get_model_packaging_log(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Read the log, or follow it to its end"""
        return self._send(
            "GET",
            f"/api/v1/model/packaging/{_part(id)}/log",
            headers=headers,
        )

    def cancel_model_packaging(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Cancel the run; the packaging ends as failed, reason Cancelled"""
        return self._send(
            "POST",
            f"/api/v1/model/packaging/{_part(id)}/cancel",
            headers=headers,
        )

    def rerun_model_packaging(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Run the packaging again as it is"""
        return self._send(
            "POST",
            f"/api/v1/model/packaging/{_part(id)}/rerun",
            headers=headers,
        )

    def get_inference_job_log(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Read the log, or follow it to its end"""
        return self._send(
            "GET",
            f"/api/v1/batch/job/{_part(id)}/log",
            headers=headers,
        )

    def cancel_inference_job(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Cancel the run; the inference job ends as failed, reason Cancelled"""
        return self._send(
            "POST",
            f"/api/v1/batch/job/{_part(id)}/cancel",
            headers=headers,
        )

    def rerun_inference_job(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Run the inference job again as it is"""
        return self._send(
            "POST",
            f"/api/v1/batch/job/{_part(id)}/rerun",
            headers=headers,
        )

    def test_connection(
        self,
        *,
        write: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Reach the other side, log in, read, and write if asked to"""
        return self._send(
            "POST",
            f"/api/v1/connection/{_part(id)}/test",
            query={"write": write},
            headers=headers,
        )

    def get_decrypted_connection(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one connection with its secrets; every call is audited"""
        return self._send(
            "GET",
            f"/api/v1/connection/{_part(id)}/decrypted",
            headers=headers,
        )

    def get_model_deployment_log(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Read the log, or follow it to its end"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment/{_part(id)}/log",
            headers=headers,
        )

    def get_model_deployment_metrics(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Availability, resource use, calls and latency of the last minutes"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment/{_part(id)}/metrics",
            headers=headers,
        )

    def list_model_deployment_metrics(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The metrics of every deployment"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment-metrics",
            headers=headers,
        )

    def get_default_route(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get the route that the deployment has from its first moment"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment/{_part(id)}/default-route",
            headers=headers,
        )

    def list_deployment_revisions(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The last 20 revisions that had all the traffic"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment/{_part(id)}/revision",
            headers=headers,
        )

    def roll_back_deployment(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Go back to an earlier revision, without a rollout"""
        return self._send(
            "POST",
            f"/api/v1/model/deployment/{_part(id)}/rollback",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def pause_rollout(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Keep the weights of a rollout; a bad candidate is rolled back all the same"""
        return self._send(
            "POST",
            f"/api/v1/model/deployment/{_part(id)}/rollout/pause",
            headers=headers,
        )

    def resume_rollout(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Go on with a rollout that was paused"""
        return self._send(
            "POST",
            f"/api/v1/model/deployment/{_part(id)}/rollout/resume",
            headers=headers,
        )

    def promote_rollout(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Give the candidate of a rollout all traffic at once"""
        return self._send(
            "POST",
            f"/api/v1/model/deployment/{_part(id)}/rollout/promote",
            headers=headers,
        )

    def abort_rollout(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Roll back: the revision that served before gets all traffic"""
        return self._send(
            "POST",
            f"/api/v1/model/deployment/{_part(id)}/rollout/abort",
            headers=headers,
        )

    def list_pipeline_runs(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """List the runs of a pipeline, newest first"""
        return self._send(
            "GET",
            f"/api/v1/model/pipeline/{_part(id)}/run",
            headers=headers,
        )

    def create_pipeline_run(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Run the pipeline"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/run",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_pipeline_run(
        self,
        number: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get one run: its steps, children, gates and times"""
        return self._send(
            "GET",
            f"/api/v1/model/pipeline/{_part(id)}/run/{_part(number)}",
            headers=headers,
        )

    def cancel_pipeline_run(
        self,
        number: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Cancel the run; it ends as failed, reason Cancelled"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/run/{_part(number)}/cancel",
            headers=headers,
        )

    def retry_pipeline_run(
        self,
        number: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Go on at the step that failed; with `spec`, by another spec of the pipeline from here on"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/run/{_part(number)}/retry",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def approve_pipeline_run(
        self,
        number: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Approve the run that waits for it"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/run/{_part(number)}/approve",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def reject_pipeline_run(
        self,
        number: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Reject the run that waits for an approval"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/run/{_part(number)}/reject",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def get_pipeline_schedule(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get the schedule with its next times"""
        return self._send(
            "GET",
            f"/api/v1/model/pipeline/{_part(id)}/schedule",
            headers=headers,
        )

    def get_pipeline_webhook(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Get the address and secret of the webhook; every call is audited"""
        return self._send(
            "GET",
            f"/api/v1/model/pipeline/{_part(id)}/webhook",
            headers=headers,
        )

    def call_pipeline_webhook(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Run the pipeline by a signed message: Standard Webhooks, or the signature of GitHub; needs no token"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/webhook",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def pause_pipeline_schedule(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Halt the schedule"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/schedule/pause",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def resume_pipeline_schedule(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Let the schedule go on"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/schedule/resume",
            headers=headers,
        )

    def trigger_pipeline_schedule(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Start the scheduled run now, unless one is going on"""
        return self._send(
            "POST",
            f"/api/v1/model/pipeline/{_part(id)}/schedule/trigger",
            headers=headers,
        )

    def get_health(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Whether your token is good, which services are down, and what is not as it should be"""
        return self._send(
            "GET",
            f"/health",
            headers=headers,
        )

    def get_user_info(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Who you are, by your token"""
        return self._send(
            "GET",
            f"/api/v1/user/info",
            headers=headers,
        )

    def get_quota(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """What you and all owners hold at once, and may hold"""
        return self._send(
            "GET",
            f"/api/v1/quota",
            headers=headers,
        )

    def get_configuration(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Public settings of the installation"""
        return self._send(
            "GET",
            f"/api/v1/configuration",
            headers=headers,
        )

    def get_record(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """What was recorded of a call, and the feedback on it"""
        return self._send(
            "GET",
            f"/api/v1/record/{_part(id)}",
            headers=headers,
        )

    def get_lineage(
        self,
        kind: object,
        id: object,
        *,
        direction: Any = None,
        generation: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Where something came from, and what came of it"""
        return self._send(
            "GET",
            f"/api/v1/lineage/{_part(kind)}/{_part(id)}",
            query={"direction": direction, "generation": generation},
            headers=headers,
        )

    def list_audit_records(
        self,
        *,
        kind: Any = None,
        entity_id: Any = None,
        user: Any = None,
        action: Any = None,
        from_: Any = None,
        to: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Who changed what, newest first"""
        return self._send(
            "GET",
            f"/api/v1/audit",
            query={"kind": kind, "entityId": entity_id, "user": user, "action": action, "from": from_, "to": to},
            headers=headers,
        )

    def list_deployment_events(
        self,
        *,
        cursor: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Changes of deployments"""
        return self._send(
            "GET",
            f"/api/v1/model/deployment-events",
            query={"cursor": cursor},
            headers=headers,
        )

    def list_route_events(
        self,
        *,
        cursor: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Changes of routes"""
        return self._send(
            "GET",
            f"/api/v1/model/route-events",
            query={"cursor": cursor},
            headers=headers,
        )

    def verify_image(
        self,
        *,
        image: Any,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Where an image is from, by its signed statements"""
        return self._send(
            "GET",
            f"/api/v1/image/verification",
            query={"image": image},
            headers=headers,
        )

    def get_attestation_keys(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Public halves of the keys that sign statements about images, as a JWK Set"""
        return self._send(
            "GET",
            f"/.well-known/attestation-keys",
            headers=headers,
        )

    def get_attestation_keys_pem(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The same keys in PEM, as cosign takes them"""
        return self._send(
            "GET",
            f"/.well-known/attestation-keys.pem",
            headers=headers,
        )


class ReferenceApi:
    """Reference data and notifications: everything under /v2."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def list_datasets(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Datasets that the caller may read."""
        return self._send(
            "GET",
            f"/v2/datasets",
            headers=headers,
        )

    def read_dataset(
        self,
        name: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A declaration and its state."""
        return self._send(
            "GET",
            f"/v2/datasets/{_part(name)}",
            headers=headers,
        )

    def put_dataset(
        self,
        name: object,
        *,
        force: Any = None,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Declares a dataset, or changes its declaration."""
        return self._send(
            "PUT",
            f"/v2/datasets/{_part(name)}",
            query={"force": force},
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def delete_dataset(
        self,
        name: object,
        *,
        confirm: Any,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Drops a dataset with its rows."""
        return self._send(
            "DELETE",
            f"/v2/datasets/{_part(name)}",
            query={"confirm": confirm},
            headers=headers,
        )

    def pin_dataset(
        self,
        name: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Takes what readers see back to a kept version, in every process; writes go on."""
        return self._send(
            "POST",
            f"/v2/datasets/{_part(name)}/pin",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def unpin_dataset(
        self,
        name: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Readers see the newest version again."""
        return self._send(
            "POST",
            f"/v2/datasets/{_part(name)}/unpin",
            headers=headers,
        )

    def list_versions(
        self,
        name: object,
        *,
        before: Any = None,
        limit: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Versions from the newest down, and what each did."""
        return self._send(
            "GET",
            f"/v2/datasets/{_part(name)}/versions",
            query={"before": before, "limit": limit},
            headers=headers,
        )

    def list_changes(
        self,
        name: object,
        *,
        after: Any,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Changes after a position, each once and in order."""
        return self._send(
            "GET",
            f"/v2/datasets/{_part(name)}/changes",
            query={"after": after},
            headers=headers,
        )

    def stream_changes(
        self,
        name: object,
        *,
        after: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Changes after a position, as server-sent events while they happen."""
        return self._send(
            "GET",
            f"/v2/datasets/{_part(name)}/events",
            query={"after": after},
            headers=headers,
        )

    def diff_versions(
        self,
        name: object,
        *,
        from_: Any,
        to: Any,
        after: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The differences of two kept versions."""
        return self._send(
            "GET",
            f"/v2/datasets/{_part(name)}/diff",
            query={"from": from_, "to": to, "after": after},
            headers=headers,
        )

    def list_dangling(
        self,
        name: object,
        *,
        after: Any = None,
        limit: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Rows whose references lead to no row, by their ids; needs the right to read the referenced datasets."""
        return self._send(
            "GET",
            f"/v2/datasets/{_part(name)}/dangling",
            query={"after": after, "limit": limit},
            headers=headers,
        )

    def list_keys(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Keys, without their secrets."""
        return self._send(
            "GET",
            f"/v2/keys",
            headers=headers,
        )

    def issue_key(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A new key; its secret is shown this once."""
        return self._send(
            "POST",
            f"/v2/keys",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def read_key(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """One key."""
        return self._send(
            "GET",
            f"/v2/keys/{_part(id)}",
            headers=headers,
        )

    def revoke_key(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Ends it, everywhere within a second."""
        return self._send(
            "DELETE",
            f"/v2/keys/{_part(id)}",
            headers=headers,
        )

    def rotate_key(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A new secret; the old one stays good for a while."""
        return self._send(
            "POST",
            f"/v2/keys/{_part(id)}/rotate",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def graph_by_get(
        self,
        *,
        query: Any = None,
        operation_name: Any = None,
        variables: Any = None,
        extensions: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A GraphQL query in the address."""
        return self._send(
            "GET",
            f"/v2/graphql",
            query={"query": query, "operationName": operation_name, "variables": variables, "extensions": extensions},
            headers=headers,
        )

    def graph(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Rows with their relations in both directions, by GraphQL."""
        return self._send(
            "POST",
            f"/v2/graphql",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def read_health(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """How far this process is with each dataset, and how subscriptions and watches are."""
        return self._send(
            "GET",
            f"/v2/health",
            headers=headers,
        )

    def read_openapi(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """This document: with a credential for the datasets that it may read."""
        return self._send(
            "GET",
            f"/v2/openapi.json",
            headers=headers,
        )

    def explain_problem(
        self,
        code: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """What a problem means, and what to do about it."""
        return self._send(
            "GET",
            f"/v2/problems/{_part(code)}",
            headers=headers,
        )

    def list_watches(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists the watches."""
        return self._send(
            "GET",
            f"/v2/watches",
            headers=headers,
        )

    def create_watch(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Creates a watch: it emits an event when entities do not change, or platform events do not happen, in time."""
        return self._send(
            "POST",
            f"/v2/watches",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def read_watch(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Shows its settings, their history and the state of its evaluation."""
        return self._send(
            "GET",
            f"/v2/watches/{_part(id)}",
            headers=headers,
        )

    def change_watch(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Changes settings by JSON merge patch; deadlines are computed again from the last change of each entity."""
        return self._send(
            "PATCH",
            f"/v2/watches/{_part(id)}",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def delete_watch(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Removes the watch; no more events are emitted."""
        return self._send(
            "DELETE",
            f"/v2/watches/{_part(id)}",
            headers=headers,
        )

    def pause_watch(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Pauses the watch: it emits no events until it is resumed."""
        return self._send(
            "POST",
            f"/v2/watches/{_part(id)}/pause",
            headers=headers,
        )

    def resume_watch(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Resumes the watch; overdue events are emitted unless its settings skip them."""
        return self._send(
            "POST",
            f"/v2/watches/{_part(id)}/resume",
            headers=headers,
        )

    def list_gaps(
        self,
        id: object,
        *,
        before: Any = None,
        page_size: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists the emitted events, the newest first; a page may be short."""
        return self._send(
            "GET",
            f"/v2/watches/{_part(id)}/gaps",
            query={"before": before, "page_size": page_size},
            headers=headers,
        )

    def explain_watch(
        self,
        id: object,
        *,
        entity: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Explains the state of the gap of one entity."""
        return self._send(
            "GET",
            f"/v2/watches/{_part(id)}/explain",
            query={"entity": entity},
            headers=headers,
        )

    def list_subscriptions(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists the subscriptions."""
        return self._send(
            "GET",
            f"/v2/subscriptions",
            headers=headers,
        )

    def create_subscription(
        self,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Creates a subscription to events from now on; the secret is shown only here."""
        return self._send(
            "POST",
            f"/v2/subscriptions",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def read_subscription(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Shows its settings, its state and the counts of its deliveries."""
        return self._send(
            "GET",
            f"/v2/subscriptions/{_part(id)}",
            headers=headers,
        )

    def change_subscription(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Changes settings by JSON merge patch."""
        return self._send(
            "PATCH",
            f"/v2/subscriptions/{_part(id)}",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def delete_subscription(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Removes the subscription; nothing more is sent."""
        return self._send(
            "DELETE",
            f"/v2/subscriptions/{_part(id)}",
            headers=headers,
        )

    def pause_subscription(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Pauses sending; events are kept."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/pause",
            headers=headers,
        )

    def resume_subscription(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Sends what was kept, in order."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/resume",
            headers=headers,
        )

    def probe_subscription(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Probes the receiver and updates its level."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/probe",
            headers=headers,
        )

    def test_subscription(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Sends a type's example, signed like every event and without a ledger entry; reports the response."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/test",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def explain_subscription(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Explains whether a change of an entity, or the entry at a position of a stream, matches."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/explain",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def read_webhook_keys(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Public halves of the Ed25519 keys that sign now, as a JWK Set."""
        return self._send(
            "GET",
            f"/.well-known/webhook-keys",
            headers=headers,
        )

    def add_secret(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A new key; those before it sign beside it until the overlap ends. Answered when every worker signs with it."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/secrets",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def remove_secret(
        self,
        id: object,
        kid: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Ends a key at once."""
        return self._send(
            "DELETE",
            f"/v2/subscriptions/{_part(id)}/secrets/{_part(kid)}",
            headers=headers,
        )

    def list_deliveries(
        self,
        id: object,
        *,
        state: Any = None,
        type: Any = None,
        subject: Any = None,
        outcome: Any = None,
        from_: Any = None,
        until: Any = None,
        page_size: Any = None,
        page_token: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists deliveries, the newest first; as NDJSON all of them in one response."""
        return self._send(
            "GET",
            f"/v2/subscriptions/{_part(id)}/deliveries",
            query={"state": state, "type": type, "subject": subject, "outcome": outcome, "from": from_, "until": until, "page_size": page_size, "page_token": page_token},
            headers=headers,
        )

    def list_failed_deliveries(
        self,
        *,
        type: Any = None,
        subject: Any = None,
        outcome: Any = None,
        from_: Any = None,
        until: Any = None,
        page_size: Any = None,
        page_token: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists the failed deliveries of all subscriptions, subscription by subscription, each with the newest first."""
        return self._send(
            "GET",
            f"/v2/failed-deliveries",
            query={"type": type, "subject": subject, "outcome": outcome, "from": from_, "until": until, "page_size": page_size, "page_token": page_token},
            headers=headers,
        )

    def read_delivery(
        self,
        id: object,
        sequence: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Shows one delivery: its event and every attempt."""
        return self._send(
            "GET",
            f"/v2/subscriptions/{_part(id)}/deliveries/{_part(sequence)}",
            headers=headers,
        )

    def read_delivery_request(
        self,
        id: object,
        sequence: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The exact body that is sent, or the whole request of the newest attempt with its signatures masked."""
        return self._send(
            "GET",
            f"/v2/subscriptions/{_part(id)}/deliveries/{_part(sequence)}/request",
            headers=headers,
        )

    def resend_delivery(
        self,
        id: object,
        sequence: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Sends the delivery again, with the same id and bytes."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/deliveries/{_part(sequence)}/resend",
            headers=headers,
        )

    def confirm_delivery(
        self,
        id: object,
        sequence: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Records that a held delivery has arrived."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/deliveries/{_part(sequence)}/confirm",
            headers=headers,
        )

    def cancel_delivery(
        self,
        id: object,
        sequence: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Cancels the delivery."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/deliveries/{_part(sequence)}/cancel",
            headers=headers,
        )

    def replay(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Sends the deliveries of a window again, with the same ids and bytes."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/replay",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def recover(
        self,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Sends failed deliveries again."""
        return self._send(
            "POST",
            f"/v2/subscriptions/{_part(id)}/recover",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def list_recoveries(
        self,
        id: object,
        *,
        before: Any = None,
        page_size: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists recoveries, the newest first; they are kept for 30 days after their end."""
        return self._send(
            "GET",
            f"/v2/subscriptions/{_part(id)}/recoveries",
            query={"before": before, "page_size": page_size},
            headers=headers,
        )

    def read_recovery(
        self,
        id: object,
        recovery: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Shows the progress of a recovery."""
        return self._send(
            "GET",
            f"/v2/subscriptions/{_part(id)}/recoveries/{_part(recovery)}",
            headers=headers,
        )

    def read_feed(
        self,
        id: object,
        *,
        after: Any = None,
        limit: Any = None,
        wait: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Reads the events of a subscription after a cursor, as they are pushed."""
        return self._send(
            "GET",
            f"/v2/feed/{_part(id)}",
            query={"after": after, "limit": limit, "wait": wait},
            headers=headers,
        )

    def list_consumers(
        self,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists the consumers of the feed."""
        return self._send(
            "GET",
            f"/v2/feed/{_part(id)}/consumers",
            headers=headers,
        )

    def read_consumer(
        self,
        id: object,
        name: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Shows its position."""
        return self._send(
            "GET",
            f"/v2/feed/{_part(id)}/consumers/{_part(name)}",
            headers=headers,
        )

    def put_consumer(
        self,
        id: object,
        name: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Its settings; one that is new begins with the oldest event that is kept."""
        return self._send(
            "PUT",
            f"/v2/feed/{_part(id)}/consumers/{_part(name)}",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def delete_consumer(
        self,
        id: object,
        name: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Removes the consumer."""
        return self._send(
            "DELETE",
            f"/v2/feed/{_part(id)}/consumers/{_part(name)}",
            headers=headers,
        )

    def next_of_consumer(
        self,
        id: object,
        name: object,
        *,
        limit: Any = None,
        wait: Any = None,
        visibility: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Hands out the oldest events that no reader of this name has or acknowledged."""
        return self._send(
            "GET",
            f"/v2/feed/{_part(id)}/consumers/{_part(name)}/next",
            query={"limit": limit, "wait": wait, "visibility": visibility},
            headers=headers,
        )

    def ack_of_consumer(
        self,
        id: object,
        name: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Everything up to `through` is processed, or from `from` on."""
        return self._send(
            "POST",
            f"/v2/feed/{_part(id)}/consumers/{_part(name)}/ack",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def seek_of_consumer(
        self,
        id: object,
        name: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Goes to `beginning`, `end`, a number or a time: what comes next."""
        return self._send(
            "POST",
            f"/v2/feed/{_part(id)}/consumers/{_part(name)}/seek",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def list_event_types(
        self,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Lists the event types with schema and example."""
        return self._send(
            "GET",
            f"/v2/event-types",
            headers=headers,
        )

    def read_event_type(
        self,
        type: object,
        version: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Shows one version of a type: the target of dataschema in events."""
        return self._send(
            "GET",
            f"/v2/event-types/{_part(type)}/{_part(version)}",
            headers=headers,
        )

    def list_rows(
        self,
        dataset: object,
        *,
        ids: Any = None,
        order_by: Any = None,
        page_size: Any = None,
        page_token: Any = None,
        fields: Any = None,
        count: Any = None,
        as_of: Any = None,
        explain: Any = None,
        facets: Any = None,
        aggregates: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Rows of any_dataset, page by page or by their ids."""
        return self._send(
            "GET",
            f"/v2/{_part(dataset)}",
            query={"ids": ids, "order_by": order_by, "page_size": page_size, "page_token": page_token, "fields": fields, "count": count, "as_of": as_of, "explain": explain, "facets": facets, "aggregates": aggregates},
            headers=headers,
        )

    def create_rows(
        self,
        dataset: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """A new row, with an id of ours."""
        return self._send(
            "POST",
            f"/v2/{_part(dataset)}",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def search_rows(
        self,
        dataset: object,
        *,
        q: Any,
        order_by: Any = None,
        page_size: Any = None,
        page_token: Any = None,
        fields: Any = None,
        count: Any = None,
        as_of: Any = None,
        explain: Any = None,
        facets: Any = None,
        aggregates: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Rows that fulfil a filter."""
        return self._send(
            "GET",
            f"/v2/{_part(dataset)}/search",
            query={"q": q, "order_by": order_by, "page_size": page_size, "page_token": page_token, "fields": fields, "count": count, "as_of": as_of, "explain": explain, "facets": facets, "aggregates": aggregates},
            headers=headers,
        )

    def lookup_rows(
        self,
        dataset: object,
        *,
        q: Any,
        limit: Any = None,
        filter: Any = None,
        fields: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The best rows for what was typed so far."""
        return self._send(
            "GET",
            f"/v2/{_part(dataset)}/lookup",
            query={"q": q, "limit": limit, "filter": filter, "fields": fields},
            headers=headers,
        )

    def batch_rows(
        self,
        dataset: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Up to 500 writes, each by itself."""
        return self._send(
            "POST",
            f"/v2/{_part(dataset)}/batch",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def read_rows(
        self,
        dataset: object,
        id: object,
        *,
        fields: Any = None,
        as_of: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """One row."""
        return self._send(
            "GET",
            f"/v2/{_part(dataset)}/{_part(id)}",
            query={"fields": fields, "as_of": as_of},
            headers=headers,
        )

    def put_rows(
        self,
        dataset: object,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The whole row."""
        return self._send(
            "PUT",
            f"/v2/{_part(dataset)}/{_part(id)}",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def patch_rows(
        self,
        dataset: object,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/merge-patch+json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Some fields of the row, as JSON merge patch (RFC 7396)."""
        return self._send(
            "PATCH",
            f"/v2/{_part(dataset)}/{_part(id)}",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def delete_rows(
        self,
        dataset: object,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The row goes; its versions go on if it comes back."""
        return self._send(
            "DELETE",
            f"/v2/{_part(dataset)}/{_part(id)}",
            headers=headers,
        )

    def history_rows(
        self,
        dataset: object,
        id: object,
        *,
        page_token: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Versions of the row, the newest first."""
        return self._send(
            "GET",
            f"/v2/{_part(dataset)}/{_part(id)}/history",
            query={"page_token": page_token},
            headers=headers,
        )

    def imports_rows(
        self,
        dataset: object,
        *,
        limit: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The newest imports first, without the errors of their rows."""
        return self._send(
            "GET",
            f"/v2/{_part(dataset)}/imports",
            query={"limit": limit},
            headers=headers,
        )

    def import_rows(
        self,
        dataset: object,
        *,
        format: Any = None,
        mode: Any = None,
        dry_run: Any = None,
        on_error: Any = None,
        max_errors: Any = None,
        announce: Any = None,
        body: Any = None,
        content_type: str = "application/x-ndjson",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Many rows: in one call with a body, or without one to upload in parts."""
        return self._send(
            "POST",
            f"/v2/{_part(dataset)}/imports",
            query={"format": format, "mode": mode, "dry_run": dry_run, "on_error": on_error, "max_errors": max_errors, "announce": announce},
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def read_import_rows(
        self,
        dataset: object,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """How far it is."""
        return self._send(
            "GET",
            f"/v2/{_part(dataset)}/imports/{_part(id)}",
            headers=headers,
        )

    def append_import_rows(
        self,
        dataset: object,
        id: object,
        *,
        body: Any = None,
        content_type: str = "application/octet-stream",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The next part of an upload."""
        return self._send(
            "PATCH",
            f"/v2/{_part(dataset)}/imports/{_part(id)}",
            body=body,
            content_type=content_type,
            headers=headers,
        )

    def cancel_import_rows(
        self,
        dataset: object,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Ends it; what was written stays."""
        return self._send(
            "DELETE",
            f"/v2/{_part(dataset)}/imports/{_part(id)}",
            headers=headers,
        )

    def start_import_rows(
        self,
        dataset: object,
        id: object,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The upload is complete: begin."""
        return self._send(
            "POST",
            f"/v2/{_part(dataset)}/imports/{_part(id)}/commit",
            headers=headers,
        )
